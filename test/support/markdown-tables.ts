/** A table of a Markdown page, cell by cell. */
export interface MarkdownTable {
  header: string[];
  rows: string[][];
}

export function markdownTables(markdown: string): MarkdownTable[] {
  return [...markdown.matchAll(/^\|.*\n\| ?-.*\n(?:\|.*\n)*/gm)].map(([table]) => {
    const [header = [], , ...rows] = table.trimEnd().split("\n").map(cellsOf);
    return { header, rows };
  });
}

function cellsOf(row: string): string[] {
  return row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
