import { lastCharacters } from "../../lib/cut-text.ts";
import type { LiveText } from "../../protocol/dashboard.ts";
import type { AgentEvent } from "../../protocol/events.ts";

/** A longer text is cut to its last `keptCharacters`. */
const maxCharacters = 100_000;
const keptCharacters = 50_000;

interface UnfinishedText {
  key: number;
  kind: LiveText["kind"];
  call_id: string | undefined;
  text: string;
}

/** How much of a member's text a page has. */
export interface LivePlace {
  key: number;
  length: number;
}

/** The text of each member, or the output of its tool, in its current turn. */
export class LiveTextBuffer {
  readonly #live = new Map<string, UnfinishedText>();
  #lastKey = 0;

  /** Takes in an event. True if there is new text of its member. */
  take(event: AgentEvent): boolean {
    const { member } = event;
    if (member === undefined) return false;
    switch (event.type) {
      case "thinking-delta":
        return this.#append(member, { kind: "thinks", text: event.text });
      case "text-delta":
        return this.#append(member, { kind: "writes", text: event.text });
      case "tool-output":
        return this.#append(member, { kind: "runs", text: event.text, call_id: event.call_id });
      case "turn-start":
      case "reply-restart":
      case "tool-result":
      case "turn-end":
      case "run-end":
        return this.#end(member);
      default:
        return false;
    }
  }

  /** The part of a member's text that a page at `place` lacks. */
  since(member: string, place: LivePlace): { live: LiveText; place: LivePlace } | undefined {
    const live = this.#live.get(member);
    if (!live) return undefined;
    const { key, kind, text } = live;
    const from = key === place.key ? place.length : 0;
    if (key === place.key && from === text.length) return undefined;
    return {
      live: { member, key, kind, from, text: text.slice(from) },
      place: { key, length: text.length },
    };
  }

  clear(): void {
    for (const member of this.#live.keys()) this.#end(member);
  }

  #append(
    member: string,
    { kind, text, call_id }: { kind: LiveText["kind"]; text: string; call_id?: string },
  ): boolean {
    const live = this.#live.get(member);
    if (!live || live.kind !== kind || live.call_id !== call_id) {
      this.#begin(member, { kind, call_id, text: lastCharacters(text, keptCharacters) });
    } else if (live.text.length + text.length > maxCharacters) {
      const end = lastCharacters(live.text + text, keptCharacters);
      this.#begin(member, { kind, call_id, text: end });
    } else {
      live.text += text;
    }
    return true;
  }

  #end(member: string): boolean {
    const live = this.#live.get(member);
    if (!live || live.text === "") return false;
    this.#begin(member, { kind: live.kind, call_id: undefined, text: "" });
    return true;
  }

  #begin(member: string, live: Omit<UnfinishedText, "key">): void {
    this.#lastKey += 1;
    this.#live.set(member, { key: this.#lastKey, ...live });
  }
}
