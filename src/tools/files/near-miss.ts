import { firstCharacters } from "../../lib/cut-text.ts";

const maxShownCharacters = 1000;
const maxStarts = 1000;

/**
 * The text after "Text not found": a second line with the place of almost the same text, or
 * nothing. A model that has only the spaces wrong should not have to read the file again.
 */
export function nearMiss(text: string, wanted: string): string {
  const lines = text.split(/\r?\n/);
  const wantedLines = wanted.trim().split(/\r?\n/).map(squeeze);
  const squeezed = lines.map(squeeze);
  const [first = ""] = wantedLines;
  const starts = squeezed
    .flatMap((line, index) => (first !== "" && line === first ? index : []))
    .slice(0, maxStarts);
  const match = starts.find((start) =>
    wantedLines.every((line, index) => squeezed[start + index] === line),
  );
  if (match !== undefined) {
    const found = lines.slice(match, match + wantedLines.length).join("\n");
    return `\nLine ${match + 1} has it with other spaces: ${firstCharacters(found, maxShownCharacters)}`;
  }
  const [start] = starts;
  if (start === undefined) return "\nRead the file again for what it really says.";
  const differing = wantedLines.findIndex((line, index) => squeezed[start + index] !== line);
  return `\nLine ${start + 1} begins like it; line ${start + differing + 1} differs: ${firstCharacters(lines[start + differing] ?? "", maxShownCharacters)}`;
}

function squeeze(line: string): string {
  return line.trim().replace(/\s+/g, " ");
}
