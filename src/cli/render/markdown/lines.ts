/** What the beginning of a line of Markdown, without its indentation, can be. */

export interface Fence {
  mark: string;
  info: string;
  indent: number;
}

export interface ListMarker {
  /** `-`, `*`, `+`, or a number with its point. */
  marker: string;
  isNumbered: boolean;
  indent: number;
  /** Where the item's text begins. */
  textIndent: number;
  text: string;
}

export function indentOf(line: string): number {
  const at = line.search(/[^ ]/);
  return at === -1 ? line.length : at;
}

export function isBlank(line: string): boolean {
  return indentOf(line) === line.length;
}

/** Whether a line is indented as code is. */
export function isIndentedCode(line: string): boolean {
  return line.startsWith("    ") && !isBlank(line);
}

export function openingFence(line: string): Fence | undefined {
  const found = /^ *(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line);
  if (!found) return undefined;
  const [, mark = "", info = ""] = found;
  return { mark, info: info.trim(), indent: indentOf(line) };
}

export function closesFence(line: string, { mark }: Fence): boolean {
  const text = line.trim();
  const [sign = ""] = mark;
  return text.length >= mark.length && text === sign.repeat(text.length);
}

export function headingOf(line: string): { level: number; text: string } | undefined {
  const found = /^ {0,3}(#{1,6}) +(.*)$/.exec(line);
  if (!found) return undefined;
  const [, marks = "", rest = ""] = found;
  const text = withoutClosingMarks(rest.trim());
  return text === "" ? undefined : { level: marks.length, text };
}

function withoutClosingMarks(text: string): string {
  const end = text.length - (/#*$/.exec(text.slice(-16))?.[0].length ?? 0);
  if (end === text.length || text[end - 1] !== " ") return text;
  return text.slice(0, end).trimEnd();
}

export function isRule(line: string): boolean {
  const signs = line.replaceAll(" ", "");
  const [sign = ""] = signs;
  return (
    indentOf(line) < 4 &&
    signs.length >= 3 &&
    "-*_".includes(sign) &&
    signs === sign.repeat(signs.length)
  );
}

/** The level of a heading whose text stands above such a line. */
export function underlineLevel(line: string): number | undefined {
  const text = line.trim();
  if (indentOf(line) > 3 || text === "") return undefined;
  if (text === "=".repeat(text.length)) return 1;
  return text === "-".repeat(text.length) ? 2 : undefined;
}

export function isQuote(line: string): boolean {
  return /^ {0,3}>/.test(line);
}

/** A quote's line without its mark. */
export function quoted(line: string): string {
  return line.replace(/^ {0,3}> ?/, "");
}

export function listMarkerOf(line: string): ListMarker | undefined {
  const found = /^( *)([-*+]|\d{1,9}[.)])( +|$)/.exec(line);
  if (!found || isRule(line)) return undefined;
  const [whole, space = "", marker = "", gap = ""] = found;
  // More than four spaces belong to code that begins the item.
  const textIndent = gap.length > 4 ? whole.length - gap.length + 1 : whole.length;
  return {
    marker,
    isNumbered: marker.length > 1,
    indent: space.length,
    textIndent,
    text: line.slice(textIndent),
  };
}

/** The cells of a table's line. */
export function cellsOf(line: string): string[] {
  const cells = splitAtBars(line.trim());
  if (cells.length > 1 && cells[0] === "") cells.shift();
  if (cells.length > 1 && cells.at(-1) === "") cells.pop();
  return cells;
}

/** At bars that are neither escaped nor inside of a code span. */
function splitAtBars(line: string): string[] {
  const cells: string[] = [];
  let cell = "";
  for (const [part] of line.matchAll(/\\\||`[^`]*`|[^|`\\]+|[\s\S]/g)) {
    if (part === "|") {
      cells.push(cell.trim());
      cell = "";
    } else {
      cell += part === "\\|" ? "|" : part;
    }
  }
  return [...cells, cell.trim()];
}

export type Alignment = "left" | "center" | "right";

/** How a table's columns are aligned, where `line` is the one below its head. */
export function alignmentsOf(line: string): Alignment[] | undefined {
  if (!/^[ |:-]+$/.test(line) || !line.includes("-") || !line.includes("|")) return undefined;
  const cells = cellsOf(line);
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => {
    if (!cell.endsWith(":")) return "left";
    return cell.startsWith(":") ? "center" : "right";
  });
}
