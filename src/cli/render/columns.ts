/** The width that help and tables must fit. */
export const screenWidth = 80;

/** Wraps a text to `most` columns, between words. */
export function wrapped(
  text: string,
  { indent = 0, most = screenWidth }: { indent?: number; most?: number } = {},
): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && longer.length > most - indent) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((each) => " ".repeat(indent) + each);
}

/** A text whose lines fit a terminal of so many columns. Where there is no terminal, it stays as it is. */
export function fitted(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  const fit = (line: string) => {
    const words = line.trimStart();
    return line.length <= columns
      ? [line]
      : wrapped(words, { indent: line.length - words.length, most: columns });
  };
  return text.split("\n").flatMap(fit).join("\n");
}

/** `left` with the wrapped `right` beside it, or below it if `left` is too wide; at most `most` wide. */
export function columns(left: string, right: string, width: number, most = screenWidth): string[] {
  const indent = width + 4;
  const [first = "", ...rest] = wrapped(right, { indent, most });
  const isWide = left.length > width;
  const head = `  ${left.padEnd(width)}`;
  return isWide ? [`  ${left}`, first, ...rest] : [head + first.slice(head.length), ...rest];
}

/** Rows in aligned columns. Empty columns are left out. */
export function table(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean,
): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => lengthOf(row[column] ?? ""))),
  );
  const shownColumns = widths.flatMap((width, column) => (width > 0 ? [column] : []));
  return rows.map((row) =>
    shownColumns
      .map((column) => aligned(row[column] ?? "", widths[column] ?? 0, isRight(column)))
      .join("  ")
      .trimEnd(),
  );
}

function aligned(cell: string, width: number, isRight: boolean): string {
  const space = " ".repeat(width - lengthOf(cell));
  return isRight ? space + cell : cell + space;
}

function lengthOf(text: string): number {
  return [...text].length;
}
