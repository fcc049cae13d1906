import { firstCharacters } from "../../lib/cut-text.ts";
import type { Mail } from "./happening.ts";

/** What came in, in a line for the person; undefined where it is not worth one. */
export function reportOf({ kind, from, text, approve, reason }: Mail): string | undefined {
  switch (kind) {
    case "result":
      return `${from} reports: ${beginningOf(text)}`;
    case "message":
      if (from === "system" && text.startsWith(reminder)) return stillOpen(text);
      return `${from} writes: ${beginningOf(text)}`;
    case "broadcast":
      return `${from} writes: ${beginningOf(text)}`;
    case "plan_approval_request":
      return `${from} has handed in a plan:\n${planIn(text)}\nSay "Approve ${from}'s plan." or "Reject ${from}'s plan."`;
    case "shutdown_response":
      return approve ? `${from} agreed to shut down.` : `${from} refuses to shut down: ${reason}`;
    case "teammate_terminated":
      return text ? beginningOf(text) : undefined;
    default:
      return undefined;
  }
}

/** The plan itself, without the words that ask for an answer. */
export function planIn(text: string): string {
  return text.slice(text.indexOf("\n\n") + 1).trim();
}

const maxCharacters = 600;

function beginningOf(text: string): string {
  const beginning = firstCharacters(text.trim(), maxCharacters);
  return beginning.length < text.trim().length ? `${beginning}…` : beginning;
}

const reminder = "Everybody is idle, and this is not finished:";

/** What the lead is reminded of, for the person, who decides it. */
function stillOpen(text: string): string {
  const lines = text.split("\n").filter((line) => line.startsWith("- "));
  return ["This is still open, and stays so until you decide it:", ...lines].join("\n");
}
