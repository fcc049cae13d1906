import type { TextFormat } from "./paint.ts";

/** What is printed of an item, and whether that is less than all of it. */
export interface Brief {
  lines: string[];
  isCut: boolean;
}

interface FirstLinesOptions<Line> {
  most: number;
  render(line: Line, index: number): string[];
  format: TextFormat;
}

/**
 * The first lines of a longer text, each as the rows that `render` makes of it, and a note about the
 * rest. Only the lines that are shown are rendered, however many there are.
 */
export function firstLines<Line>(all: readonly Line[], options: FirstLinesOptions<Line>): Brief {
  const { most, render, format } = options;
  if (format.isWhole)
    return { lines: all.flatMap((line, index) => render(line, index)), isCut: false };
  const rows: string[] = [];
  let used = 0;
  // The note takes a row too, so it never stands for a single one.
  for (const line of all.slice(0, most + 1)) {
    const next = render(line, used);
    const isLast = used + 1 === all.length;
    if (rows.length + next.length > (isLast ? most + 1 : most)) {
      const room = most - rows.length;
      rows.push(...next.slice(0, room));
      break;
    }
    rows.push(...next);
    used++;
  }
  const rest = all.length - used;
  return rest === 0
    ? { lines: rows, isCut: false }
    : { lines: [...rows, moreNote(rest, format)], isCut: true };
}

/** Says how many lines are not shown whole, and which key opens them. */
function moreNote(rest: number, { paint, opener }: TextFormat): string {
  const lines = rest === 1 ? "line" : "lines";
  return paint.dim(`    … ${rest} more ${lines}${opener ? `, ${opener} opens` : ""}`);
}
