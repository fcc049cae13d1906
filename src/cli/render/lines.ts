import { printable } from "./printable.ts";

export function indented(lines: readonly string[], by: number): string[] {
  const space = " ".repeat(by);
  return lines.map((line) => (line === "" ? "" : space + line));
}

export interface LineLimits {
  lines: number;
  /** Of one line, in characters. */
  width: number;
}

/** The first lines of a text, and how many more there are. */
export function shortened(text: string, { lines: most, width }: LineLimits): string[] {
  const lines = text.trimEnd().split("\n");
  const beginning = lines.slice(0, most).map((line) => cut(line, width));
  const rest = lines.length - beginning.length;
  return rest > 0 ? [...beginning, `… (${rest} more lines)`] : beginning;
}

/** Reads only the beginning, however long the line is. */
function cut(line: string, width: number): string {
  const beginning = line.slice(0, width * unitsPerCharacter);
  const letters = [...printable(beginning)];
  const isWhole = beginning.length === line.length && letters.length <= width;
  return isWhole ? letters.join("") : `${letters.slice(0, width - 1).join("")}…`;
}

/** A character is up to two units of UTF-16. */
const unitsPerCharacter = 2;
