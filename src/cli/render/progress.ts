import { sentences } from "../../lib/sentences.ts";
import { summarizeCall } from "../../lib/summarize-call.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import { hookText } from "./hook-text.ts";
import { oneLine } from "./one-line.ts";

const width = 160;

/** The events of a team as lines, for a person who waits for the result. */
export class Progress {
  /** What each member has said in its current turn. */
  readonly #texts = new Map<MemberName | undefined, string>();
  readonly #isDemo: boolean;

  /** The demo also shows results, assigned tasks and the lead's texts, and asks its questions itself. */
  constructor({ isDemo = false }: { isDemo?: boolean } = {}) {
    this.#isDemo = isDemo;
  }

  /** Each line on one line of the terminal, after the member's name. */
  lines(event: AgentEvent): string[] {
    const name = event.member === undefined || event.member === lead ? "" : `${event.member}: `;
    // The end of a warning says what to do.
    const longest = event.type === "warning" ? undefined : width;
    return this.texts(event).map((line) => oneLine(`${name}${line}`, longest));
  }

  /** The same without names, of any length. */
  texts(event: AgentEvent): string[] {
    const { member } = event;
    switch (event.type) {
      case "text-delta":
        this.#texts.set(member, (this.#texts.get(member) ?? "") + event.text);
        return [];
      case "turn-end":
        // What the lead says without calling a tool is the result, and printed as such.
        return member === lead && !this.#isDemo ? this.#forget(member) : this.#said(member);
      case "reply-restart":
        return this.#forget(member);
      case "tool-call":
        return [...this.#said(member), `● ${event.name} ${summarizeCall(event.name, event.input)}`];
      case "tool-result":
        if (event.is_error) return [`  ✗ ${event.output}`];
        return this.#isDemo ? [`  ${event.output}`] : [];
      case "message-sent":
        return this.#isDemo && event.message_type === "task_assignment"
          ? [`→ ${event.to}: ${event.preview ?? "a task"}`]
          : [];
      case "model-wait":
        return [`… waiting ${Math.ceil(event.delay_ms / 1000)} s: ${event.reason}`];
      case "model-change":
        return [`${event.to} answers instead of ${event.from}: ${event.reason}`];
      case "model-set":
        return [
          `model from its next request on: ${event.model}, effort ${event.effort ?? "default"}`,
        ];
      case "compaction-start":
        return ["… summarizing the conversation to make room"];
      case "request-change":
        return event.state === "pending" && !this.#isDemo
          ? [`? ${event.request_type} request ${event.id}`]
          : [];
      case "member-change":
        return event.status === "failed" || event.status === "shutdown"
          ? [`${event.status}${event.detail ? `: ${event.detail}` : ""}`]
          : [];
      case "hook": {
        const line = hookText(event);
        return line === undefined ? [] : [line];
      }
      case "warning":
        return [`warning: ${sentences(event.message, event.hint)}`];
      default:
        return [];
    }
  }

  #said(member: MemberName | undefined): string[] {
    const text = (this.#texts.get(member) ?? "").trim();
    this.#texts.delete(member);
    return text === "" ? [] : [text];
  }

  #forget(member: MemberName | undefined): string[] {
    this.#texts.delete(member);
    return [];
  }
}
