import { lead } from "../../protocol/ids.ts";

/** What a person has typed, read. */
export type TypedLine =
  | { type: "nothing" }
  | { type: "leave" }
  | { type: "command"; name: string; argument: string }
  /** `to` is a member's name as it was typed, or `all`. */
  | { type: "message"; to: string; text: string };

/** The name that means everybody. */
export const everybody = "all";

const leaveWords = new Set(["q", "exit", "quit"]);

/**
 * Reads a line. Without `@name` in front it is for `addressee`: the lead, or whose view is open. A
 * space in front takes the meaning from a `/` or an `@`, so that everything can be said.
 */
export function readTypedLine(typed: string, addressee: string = lead): TypedLine {
  const text = typed.trim();
  if (text === "") return { type: "nothing" };
  if (leaveWords.has(text)) return { type: "leave" };
  if (/^\s/.test(typed)) return { type: "message", to: addressee, text };
  const [, command, argument = ""] = /^\/(\S+)\s*(.*)$/s.exec(text) ?? [];
  if (command) return { type: "command", name: command, argument };
  const [, name, rest = ""] = /^@(\S+?)[:,]?(?:\s+(.*))?$/s.exec(text) ?? [];
  if (name) return { type: "message", to: name, text: rest };
  return { type: "message", to: addressee, text };
}
