import { firstCharacters } from "../../lib/cut-text.ts";
import type { ConversationItem } from "./conversation-item.ts";

/** True for a prompt of the person to the lead. */
export function isPrompt({ type, kind, from }: ConversationItem): boolean {
  return type === "mail" && kind === "message" && from === "user";
}

/** A description of received mail for the person; "" if it need not be reported. */
export function reportOf({ kind, from, text, approve, reason }: ConversationItem): string {
  switch (kind) {
    case "result":
      return `${from} reports: ${beginningOf(text)}`;
    case "message":
    case "broadcast":
      if (from === "system" && text.startsWith(reminder)) return openWorkIn(text);
      return `${from} writes: ${beginningOf(text)}`;
    case "plan_approval_request":
      return `${from} has submitted a plan:\n${planIn(text)}\nSay "Approve ${from}'s plan." or "Reject ${from}'s plan."`;
    case "shutdown_response":
      if (approve === "true") return `${from} agreed to shut down.`;
      return `${from} refuses to shut down: ${reason}`;
    case "landing_notification":
      return beginningOf(text.split(/\.?(?: Changed:)?\n/)[0] ?? "");
    case "teammate_terminated":
      return beginningOf(text);
    default:
      return "";
  }
}

const maxCharacters = 600;

function beginningOf(text: string): string {
  const beginning = firstCharacters(text.trim(), maxCharacters);
  return beginning.length < text.trim().length ? `${beginning}…` : beginning;
}

/** The plan itself, without the text that asks for an answer. */
export function planIn(text: string): string {
  return text.slice(text.indexOf("\n\n") + 1).trim();
}

/** The id of the task that a plan is for, if it is for one. */
export function taskOfPlan(plan: string): string | undefined {
  return /\bPlan for task (\d+):/.exec(plan)?.[1];
}

const reminder = "Everybody is idle, and this is not finished:";

/** The person decides about the rest; the lead does not try it again. */
function openWorkIn(text: string): string {
  const lines = text.split("\n").filter((line) => line.startsWith("- "));
  return ["This is still open until you decide:", ...lines].join("\n");
}
