import { firstCharacters } from "../../lib/cut-text.ts";

const maxCharacters = 200;

/** A text as part of a line in a list, so that no line of it can look like another entry. */
export function onOneLine(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > maxCharacters ? `${firstCharacters(line, maxCharacters)}…` : line;
}
