import type { Alignment, Inline } from "../../lib/markdown.ts";
import { renderInline } from "./markdown-inline.ts";
import type { Paint } from "./paint.ts";
import { widthOf } from "./styled-text.ts";
import { wrapText } from "./wrap.ts";

interface TableOptions {
  alignments: readonly Alignment[];
  width: number;
  paint: Paint;
}

const leastColumn = 6;
const gapWidth = 3;

/** Rows in aligned columns, or each cell on its own line with its heading if there is no room. */
export function renderTable(
  rows: readonly (readonly (readonly Inline[])[])[],
  options: TableOptions,
): string[] {
  const { width, paint, alignments } = options;
  const count = Math.max(...rows.map((row) => row.length));
  const cells = rows.map((row, index) =>
    Array.from({ length: count }, (_, column) => {
      const text = renderInline(row[column] ?? [], paint);
      return index === 0 ? paint.bold(text) : text;
    }),
  );
  const room = width - gapWidth * (count - 1);
  const widths = columnWidths(cells, count, room);
  if (!widths) return renderRecords(cells, width);

  const line = paint.dim(widths.map((each) => "─".repeat(each)).join("─┼─"));
  const [head = [], ...body] = cells.map((row) => renderRow(row, { widths, alignments, paint }));
  return [...head, line, ...body.flat()];
}

/** The width of each column; undefined if they do not fit side by side. */
function columnWidths(
  cells: readonly (readonly string[])[],
  count: number,
  room: number,
): number[] | undefined {
  const natural = Array.from({ length: count }, (_, column) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[column] ?? "")), 1),
  );
  const least = natural.reduce((sum, each) => sum + Math.min(each, leastColumn), 0);
  if (least > room) return undefined;

  // From the narrowest on, each column gets what it needs or its share of the rest.
  const widths = [...natural];
  const byWidth = natural
    .map((_, column) => column)
    .sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0));
  let left = room;
  for (const [done, column] of byWidth.entries()) {
    const share = Math.max(1, Math.floor(left / (count - done)));
    widths[column] = Math.min(natural[column] ?? 0, share);
    left -= widths[column] ?? 0;
  }
  return widths;
}

function renderRow(
  row: readonly string[],
  {
    widths,
    alignments,
    paint,
  }: { widths: readonly number[]; alignments: readonly Alignment[]; paint: Paint },
): string[] {
  const wrapped = row.map((cell, column) => wrapText(cell, widths[column] ?? 1));
  const height = Math.max(...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    wrapped
      .map((lines, column) => aligned(lines[index] ?? "", widths[column] ?? 1, alignments[column]))
      .join(paint.dim(" │ "))
      .trimEnd(),
  );
}

function aligned(text: string, width: number, alignment: Alignment = "left"): string {
  const space = Math.max(0, width - widthOf(text));
  const before = alignment === "left" ? 0 : alignment === "right" ? space : Math.floor(space / 2);
  return " ".repeat(before) + text + " ".repeat(space - before);
}

function renderRecords(cells: readonly (readonly string[])[], width: number): string[] {
  const [head = [], ...rows] = cells;
  if (rows.length === 0) return wrapText(head.join(" "), width);
  const texts = rows.map((row) =>
    row.flatMap((cell, column) =>
      wrapText(`${head[column] ?? ""}: ${cell}`, width, { indent: "", hanging: "  " }),
    ),
  );
  return texts.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}
