import { canonicalJson } from "../lib/canonical-json.ts";
import type { ToolCall } from "../protocol/transcript.ts";

/** After so many equal answers to the same call, it is not run again. */
const refuseAfter = 8;
/** After so many, the run ends: its model does not listen. */
const endAfter = 16;

/** Notices a model that makes the same call again and again and gets the same answer. */
export class Repetition {
  #call = "";
  #output = "";
  #count = 0;

  /** What to tell the model instead of running `call`, or undefined where it may run. */
  refuse(call: ToolCall): string | undefined {
    if (keyOf(call) !== this.#call || this.#count < refuseAfter) return undefined;
    this.#count++;
    return `Error: You have made this same call ${this.#count} times in a row, and its answer was always the same. It was not run again. Do something else, or say what you are waiting for.`;
  }

  note(call: ToolCall, output: string): void {
    const key = keyOf(call);
    // What a refused call is answered with is no answer to the call.
    if (key === this.#call && this.#count >= refuseAfter) return;
    this.#count = key === this.#call && output === this.#output ? this.#count + 1 : 1;
    this.#call = key;
    this.#output = output;
  }

  get isHopeless(): boolean {
    return this.#count >= endAfter;
  }
}

function keyOf({ name, input }: ToolCall): string {
  return canonicalJson({ name, input: input ?? null });
}
