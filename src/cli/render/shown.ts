import { printable } from "./printable.ts";
import { widthOf } from "./styled-text.ts";

/**
 * A text that is safe to print in a terminal: newlines stay, tabs become spaces, and control and
 * invisible characters are made visible, so that no text can move the cursor, set colours or hide
 * parts of itself.
 */
export function shown(text: string): string {
  const lines = printable(text.replaceAll("\r\n", "\n"));
  return lines.includes("\t") ? lines.split("\n").map(withSpacesForTabs).join("\n") : lines;
}

const tabWidth = 4;

function withSpacesForTabs(line: string): string {
  const [first = "", ...others] = line.split("\t");
  let spaced = first;
  let column = widthOf(first);
  for (const part of others) {
    const gap = tabWidth - (column % tabWidth);
    spaced += " ".repeat(gap) + part;
    column += gap + widthOf(part);
  }
  return spaced;
}
