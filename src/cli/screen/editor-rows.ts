import { cutToWidth } from "../render/wrap.ts";
import type { EditorUnit } from "./editor-units.ts";

/** The units of one drawn row: `from` inclusive, `to` exclusive. */
export interface EditorRow {
  from: number;
  to: number;
}

/** The drawn rows of an editor, and the cursor in them. */
export interface EditorLayout {
  lines: string[];
  cursor: { row: number; column: number };
  /** How many rows are above and below those. */
  above: number;
  below: number;
}

/** Breaks units into rows. There is always a row for the cursor after the last unit. */
export function rowsOf(units: readonly EditorUnit[], width: number): EditorRow[] {
  const room = Math.max(1, width);
  const rows: EditorRow[] = [];
  let from = 0;
  let column = 0;
  for (const [index, unit] of units.entries()) {
    if (unit.text === "\n") {
      rows.push({ from, to: index });
      from = index + 1;
      column = 0;
      continue;
    }
    if (column + unit.width > room && column > 0) {
      rows.push({ from, to: index });
      from = index;
      column = 0;
    }
    column += unit.width;
  }
  rows.push({ from, to: units.length });
  // After a full row the cursor is at the start of the next.
  if (column >= room) rows.push({ from: units.length, to: units.length });
  return rows;
}

/** The row of the cursor before unit `cursor`. */
export function rowOfCursor(rows: readonly EditorRow[], cursor: number): number {
  return rows.findLastIndex(({ from }) => from <= cursor);
}

export function columnOf(units: readonly EditorUnit[], row: EditorRow, cursor: number): number {
  return units.slice(row.from, cursor).reduce((sum, { width }) => sum + width, 0);
}

/** The unit of a row that is closest to `column`. */
export function unitAtColumn(
  units: readonly EditorUnit[],
  rows: readonly EditorRow[],
  { row, column }: { row: number; column: number },
): number {
  const { from, to } = rows[row] ?? { from: 0, to: 0 };
  // The end of a row that the next one continues belongs to the next one.
  const last = rows[row + 1]?.from === to ? Math.max(from, to - 1) : to;
  let at = from;
  let reached = units[at]?.width ?? 0;
  while (at < last && reached <= column) {
    at++;
    reached += units[at]?.width ?? 0;
  }
  return at;
}

/** At most `maxRows` rows around the cursor. */
export function layoutOf(
  units: readonly EditorUnit[],
  cursor: number,
  { width, maxRows }: { width: number; maxRows: number },
): EditorLayout {
  const rows = rowsOf(units, width);
  const cursorRow = rowOfCursor(rows, cursor);
  const count = Math.max(1, Math.min(maxRows, rows.length));
  const centred = cursorRow - Math.floor(count / 2);
  const above = Math.min(Math.max(0, centred), rows.length - count);
  const lines = rows.slice(above, above + count).map(({ from, to }) => {
    const line = units.slice(from, to).map(({ shown }) => shown);
    return cutToWidth(line.join(""), Math.max(1, width));
  });
  const row = rows[cursorRow] ?? { from: 0, to: 0 };
  const column = Math.min(columnOf(units, row, cursor), Math.max(0, width - 1));
  const below = rows.length - above - count;
  return { lines, cursor: { row: cursorRow - above, column }, above, below };
}
