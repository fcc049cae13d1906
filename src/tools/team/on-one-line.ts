import { firstCharacters } from "../../lib/cut-text.ts";

const maxCharacters = 200;

/** A text as part of a line in a list, where no line of its own can pass for another entry. */
export function onOneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > maxCharacters ? `${firstCharacters(line, maxCharacters)}…` : line;
}
