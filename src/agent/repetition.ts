import { canonicalJson } from "../lib/canonical-json.ts";
import type { ToolCall } from "../protocol/transcript.ts";

/** So many calls are remembered with their answers. */
const remembered = 16;
/** After so many calls in a row that brought nothing new, a call that was made before is refused. */
const refuseAfter = 8;
/** After refusals in so many replies in a row the run ends: its model does not listen. */
const endAfter = 3;

/** Notices a model that makes the same calls again and again and gets the same answers. */
export class Repetition {
  /** The newest calls with their answers, the oldest first. */
  readonly #answers = new Map<string, string>();
  #stale = 0;
  #hasRefused = false;
  #refusedReplies = 0;

  /** The text for the model where `call` is not run; undefined where it may run. */
  refuse(call: ToolCall): string | undefined {
    if (this.#stale < refuseAfter || !this.#answers.has(keyOf(call))) return undefined;
    this.#hasRefused = true;
    return "Error: You have made this same call before, and your last calls brought nothing new. It was not run again. Do something else, or say what you are waiting for.";
  }

  /** Remembers how a call that was not refused was answered. */
  note(call: ToolCall, output: string): void {
    const key = keyOf(call);
    this.#stale = this.#answers.get(key) === output ? this.#stale + 1 : 0;
    this.#answers.delete(key);
    this.#answers.set(key, output);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > remembered && oldest !== undefined) this.#answers.delete(oldest);
  }

  /** To be called when mail has come: calls may be answered differently now. */
  noteMail(): void {
    this.#stale = 0;
  }

  /** To be called when all calls of a reply are answered. True when the run should end. */
  endReply(): boolean {
    this.#refusedReplies = this.#hasRefused ? this.#refusedReplies + 1 : 0;
    this.#hasRefused = false;
    return this.#refusedReplies >= endAfter;
  }
}

function keyOf({ name, input }: ToolCall): string {
  return canonicalJson({ name, input: input ?? null });
}
