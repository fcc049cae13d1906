import { summarizeCall } from "../../lib/summarize-call.ts";
import type { AgentEvent } from "../../protocol/events.ts";
import type { MemberName } from "../../protocol/ids.ts";
import { oneLine } from "../render/one-line.ts";

const nameWidth = 8;
const lineWidth = 150;

/** Who does what, as lines for somebody who watches a team for the first time. */
export class StoryLines {
  /** What each member has said in the turn it is in. */
  readonly #texts = new Map<MemberName | undefined, string>();

  lines(event: AgentEvent): string[] {
    const { member } = event;
    switch (event.type) {
      case "text-delta":
        this.#texts.set(member, (this.#texts.get(member) ?? "") + event.text);
        return [];
      case "turn-end":
        return this.#said(member);
      case "tool-call":
        return [
          ...this.#said(member),
          storyLine(member, `● ${event.name} ${summarizeCall(event.name, event.input)}`),
        ];
      case "tool-result":
        return [storyLine(member, `  ${event.is_error ? "✗ " : ""}${event.output}`)];
      case "message-sent":
        return event.message_type === "task_assignment"
          ? [storyLine(member, `→ ${event.to}: ${event.preview ?? "a task"}`)]
          : [];
      case "member-change":
        return event.status === "failed" || event.status === "shutdown"
          ? [storyLine(member, `${event.status}${event.detail ? `: ${event.detail}` : ""}`)]
          : [];
      case "warning":
        return [storyLine(member, `warning: ${event.message}`)];
      default:
        return [];
    }
  }

  #said(member: MemberName | undefined): string[] {
    const text = (this.#texts.get(member) ?? "").trim();
    this.#texts.delete(member);
    return text === "" ? [] : [storyLine(member, `“${text}”`)];
  }
}

/** What somebody does, behind its name. */
export function storyLine(who: string | undefined, text: string): string {
  // The indentation says what belongs to what, and `oneLine` would take it away.
  const indentation = /^ */.exec(text)?.[0] ?? "";
  return `  ${(who ?? "").padEnd(nameWidth)}${indentation}${oneLine(text, lineWidth)}`;
}
