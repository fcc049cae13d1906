import { lineEdits } from "../../lib/line-edits.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import type { DiffLine } from "../../protocol/dashboard.ts";

/** So many unchanged lines are shown around a change. */
const contextLines = 3;
/** What is longer is cut: the tool call beside it has the whole. */
const maxLines = 2_000;
const maxLineCharacters = 2_000;

/** What a call of a tool would change in a file; null where it is no such call. */
export function diffOfCall(tool: string, input: unknown): DiffLine[] | null {
  if (typeof input !== "object" || input === null) return null;
  const text = (name: string): unknown => Reflect.get(input, name);
  if (tool === "write_file") {
    const content = text("content");
    return typeof content === "string" ? diffLines("", content) : null;
  }
  if (tool !== "edit_file") return null;
  const [before, after] = [text("old_text"), text("new_text")];
  return typeof before === "string" && typeof after === "string" ? diffLines(before, after) : null;
}

/** The lines of a change, with a note where many unchanged ones are left out. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  const lines: DiffLine[] = [];
  let unchanged: string[] = [];
  const passUnchanged = (isLast: boolean) => {
    lines.push(...foldedContext(unchanged, { isFirst: lines.length === 0, isLast }));
    unchanged = [];
  };
  for (const { type, before: from, after: to } of lineEdits(old, young)) {
    if (type === "kept") {
      unchanged.push(old[from] ?? "");
      continue;
    }
    passUnchanged(false);
    lines.push({ type, text: shownLine((type === "removed" ? old[from] : young[to]) ?? "") });
  }
  passUnchanged(true);
  return withLimit(lines);
}

function foldedContext(
  lines: readonly string[],
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): DiffLine[] {
  const head = isFirst ? 0 : contextLines;
  const tail = isLast ? 0 : contextLines;
  const same = (text: string): DiffLine => ({ type: "same", text: shownLine(text) });
  const left = lines.length - head - tail;
  if (left <= 1) return lines.map(same);
  return [
    ...lines.slice(0, head).map(same),
    skipped(left, "unchanged "),
    ...(tail === 0 ? [] : lines.slice(-tail).map(same)),
  ];
}

function withLimit(lines: DiffLine[]): DiffLine[] {
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), skipped(lines.length - maxLines, "")];
}

function skipped(count: number, kind: string): DiffLine {
  return { type: "skipped", text: `${count} ${kind}lines` };
}

function shownLine(line: string): string {
  const shown = showHidden(line);
  return shown.length <= maxLineCharacters ? shown : `${shown.slice(0, maxLineCharacters)}…`;
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  // What ends with a newline has no line behind it.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
