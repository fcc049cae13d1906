import { lead } from "../../protocol/ids.ts";

/** A typed line, parsed. */
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
 * Parses a line. Without `@name` in front it is for `addressee`. After a leading space, `/` and `@`
 * have no special meaning, so that any text can be sent.
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
