import { hunksOf, type LineEdit, lineEdits } from "../../lib/line-edits.ts";
import type { Paint } from "./paint.ts";
import { shown } from "./shown.ts";
import { cutToWidth, wrapExactly, wrapText } from "./wrap.ts";

export interface DiffOptions {
  /** Printed above the diff, if given. */
  path?: string;
  width: number;
  paint: Paint;
  /** How many unchanged lines are shown around a change. */
  context?: number;
  /** Whether to number lines; false if the texts are parts of a file. */
  hasNumbers?: boolean;
}

interface NumberedLine {
  type: LineEdit["type"];
  number: number;
  text: string;
  /** What the line was changed from or to. */
  partner?: string;
}

/** What is said of a line without its newline, in a whole file and in a part of one. */
const noNewline = { whole: "(no newline at the end)", part: "(the text ends without a newline)" };

/** The complete difference of two texts as styled lines. */
export function renderDiff(before: string, after: string, options: DiffOptions): string[] {
  const { path, width, paint } = options;
  const { lines, digits } = diffLines(before, after, options);
  const head = path === undefined ? [] : wrapText(paint.bold(shown(path)), width);
  return [...head, ...lines.flatMap((line) => renderDiffLine(line, { width, paint, digits }))];
}

/** One line of a difference, or what stands for lines that are the same. */
type TextDiffLine = NumberedLine | { type: "gap" } | { type: "no-change" };

/** The lines of a difference, and the width of their numbers. */
export function diffLines(
  before: string,
  after: string,
  { context = 3, hasNumbers = true }: Pick<DiffOptions, "context" | "hasNumbers">,
): { lines: TextDiffLine[]; digits: number } {
  const [old, young] = hasNumbers ? linesOf(before, after) : linesOf(...partsOf(before, after));
  const edits = lineEdits(old, young);
  const digits = hasNumbers ? String(Math.max(old.length, young.length)).length : 0;
  const parts = hunksOf(edits, context).map(({ from, to }) =>
    withPartners(edits.slice(from, to), old, young),
  );
  if (parts.length === 0) return { lines: [{ type: "no-change" }], digits };
  const gap: TextDiffLine = { type: "gap" };
  return {
    lines: parts.flatMap((lines, index) => (index === 0 ? lines : [gap, ...lines])),
    digits,
  };
}

interface LineStyle {
  width: number;
  paint: Paint;
  digits: number;
}

/** A line of a difference as rows of at most `width` columns. */
export function renderDiffLine(line: TextDiffLine, style: LineStyle): string[] {
  const { width, paint, digits } = style;
  if (line.type === "gap") return [cutToWidth(paint.dim(`${" ".repeat(digits)} ⋮`), width)];
  if (line.type === "no-change") return wrapText(paint.dim("(no change)"), width);
  return renderLine(line, style);
}

/** Parts of a file, which may end in the middle of a line: that both do is worth no note. */
function partsOf(before: string, after: string): [string, string] {
  if ([before, after].some((text) => text.endsWith("\n"))) return [before, after];
  const closed = (text: string) => (text === "" ? text : `${text}\n`);
  return [closed(before), closed(after)];
}

/** The lines of both texts. A line without its newline differs from one with it. */
function linesOf(before: string, after: string): [string[], string[]] {
  const isWindows = [before, after].every((text) => !/(?<!\r)\n/.test(text));
  const split = (text: string) => {
    const lines = (isWindows ? text.replaceAll("\r\n", "\n") : text).split("\n");
    const last = lines.pop() ?? "";
    return last === "" ? lines : [...lines, `${last}\n`];
  };
  return [split(before), split(after)];
}

/** The lines of a hunk. If as many are added as removed, each gets its counterpart. */
function withPartners(
  hunk: readonly LineEdit[],
  old: readonly string[],
  young: readonly string[],
): NumberedLine[] {
  const lines = hunk.map(({ type, before, after }): NumberedLine => {
    const isRemoved = type === "removed";
    const text = (isRemoved ? old[before] : young[after]) ?? "";
    return { type, number: (isRemoved ? before : after) + 1, text };
  });
  for (let from = 0; from < lines.length; from++) {
    const removed = countOf(lines, from, "removed");
    const added = countOf(lines, from + removed, "added");
    for (let index = 0; removed === added && index < removed; index++) {
      const [left, right] = [lines[from + index], lines[from + removed + index]];
      if (!left || !right) continue;
      left.partner = right.text;
      right.partner = left.text;
    }
    from += removed + added;
  }
  return lines;
}

function countOf(lines: readonly NumberedLine[], from: number, type: NumberedLine["type"]): number {
  let to = from;
  while (lines[to]?.type === type) to++;
  return to - from;
}

function renderLine(line: NumberedLine, { width, paint, digits }: LineStyle): string[] {
  const { type, number } = line;
  const color = type === "added" ? paint.green : type === "removed" ? paint.red : paint.dim;
  const sign = type === "added" ? "+" : type === "removed" ? "-" : " ";
  const label = digits === 0 ? "" : paint.dim(`${String(number).padStart(digits)} `);
  const hanging = `${" ".repeat(digits === 0 ? 0 : digits + 1)}${paint.dim("↪ ")}`;
  const rows = wrapExactly(color(emphasised(line, paint)), width, {
    indent: label + color(`${sign} `),
    hanging,
  });
  if (!line.text.endsWith("\n")) return rows;
  const note = digits === 0 ? noNewline.part : noNewline.whole;
  return [...rows, ...wrapText(paint.dim(note), width, { indent: hanging })];
}

/** The line's text, with the part that differs from its partner highlighted if they are similar. */
function emphasised({ text, partner }: NumberedLine, paint: Paint): string {
  const own = wordsOf(text);
  if (partner === undefined) return own.join("");
  const other = wordsOf(partner);
  const most = Math.min(own.length, other.length);
  let start = 0;
  while (start < most && own[start] === other[start]) start++;
  let end = 0;
  while (end < most - start && own.at(-1 - end) === other.at(-1 - end)) end++;
  if (2 * (start + end) < own.length) return own.join("");
  const middle = own.slice(start, own.length - end).join("");
  return (
    own.slice(0, start).join("") + paint.inverse(middle) + own.slice(own.length - end).join("")
  );
}

function wordsOf(text: string): string[] {
  return shown(text.replace(/\n$/, "")).match(/[\p{L}\p{N}_]+|[\s\S]/gu) ?? [];
}
