import { callParts } from "../../lib/call-parts.ts";
import { firstCharacters, firstWords } from "../../lib/cut-text.ts";
import { hunksOf, type LineEdit, lineEdits } from "../../lib/line-edits.ts";
import { showHidden } from "../../permissions/show-hidden.ts";
import type { DiffLine } from "../../protocol/dashboard.ts";

/** A longer diff is cut: the tool call has the whole text. */
const maxLines = 2_000;
const maxLineCharacters = 2_000;

const maxNamesCharacters = 200;

/** The change of a file by a tool call; null if it changes none. */
export function diffOfCall(tool: string, input: unknown): DiffLine[] | null {
  const call = callParts(tool, input);
  if (call.type !== "change") return null;
  const { before, after, others } = call;
  const end = before === undefined ? [] : changedEnd(before, after);
  return [...diffLines(before ?? "", after), ...end, ...furtherArguments(others)];
}

/** A note if only the newline at the end differs, which the lines do not show. */
function changedEnd(before: string, after: string): DiffLine[] {
  if (before.endsWith("\n") === after.endsWith("\n")) return [];
  const change = after.endsWith("\n") ? "added" : "removed";
  return [{ type: "skipped", text: `the line break at the end is ${change}` }];
}

/** Other arguments that affect the change, such as `replace_all`. */
function furtherArguments(others: Record<string, unknown>): DiffLine[] {
  const names = Object.keys(others).join(", ");
  if (names === "") return [];
  const shown = showHidden(firstCharacters(names, maxNamesCharacters));
  return [{ type: "skipped", text: `further arguments: ${shown}` }];
}

/** The lines of a change, with a note where several unchanged ones are left out. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, young] = [linesOf(before), linesOf(after)];
  const edits = lineEdits(old, young);
  const shown = (part: readonly LineEdit[]) =>
    part.flatMap(({ type, before: from, after: to }) =>
      shownLine(types[type], (type === "added" ? young[to] : old[from]) ?? ""),
    );
  const unchanged = (part: readonly LineEdit[]) =>
    part.length > 1 ? [skipped(part.length, "unchanged ")] : shown(part);
  const hunks = hunksOf(edits);
  const lines = hunks.flatMap(({ from, to }, index) => [
    ...unchanged(edits.slice(hunks[index - 1]?.to ?? 0, from)),
    ...shown(edits.slice(from, to)),
  ]);
  return withLimit([...lines, ...unchanged(edits.slice(hunks.at(-1)?.to ?? 0))]);
}

const types = { kept: "same", removed: "removed", added: "added" } as const;

function withLimit(lines: DiffLine[]): DiffLine[] {
  if (lines.length <= maxLines) return lines;
  return [...lines.slice(0, maxLines), skipped(lines.length - maxLines, "")];
}

function skipped(count: number, kind: string): DiffLine {
  return { type: "skipped", text: `${count} ${kind}lines` };
}

/** A cut line ends with a note, as omitted lines do. */
function shownLine(type: DiffLine["type"], line: string): DiffLine[] {
  const whole = showHidden(line);
  const text = firstWords(whole, maxLineCharacters);
  const left = whole.length - text.length;
  if (left === 0) return [{ type, text }];
  return [
    { type, text: `${text}…` },
    { type: "skipped", text: `${left} characters of this line` },
  ];
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  // After a final newline there is no further line.
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
