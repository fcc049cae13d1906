import { lineEdits } from "../../lib/line-edits.ts";

const contextLines = 3;
const maxChangedLines = 2000;
const maxEdits = 400;

interface Edit {
  mark: " " | "-" | "+";
  line: string;
}

/**
 * What changed from one text to the other, as a unified diff without file names. Undefined where
 * the texts differ so much that finding it out would take long.
 */
export function lineDiff(before: string, after: string): string | undefined {
  const old = before.split("\n");
  const young = after.split("\n");
  const start = commonLines(old, young, (lines, index) => lines[index]);
  const end = commonLines(old.slice(start), young.slice(start), (lines, index) =>
    lines.at(-1 - index),
  );
  const removed = old.slice(start, old.length - end);
  const added = young.slice(start, young.length - end);
  if (removed.length + added.length > maxChangedLines) return undefined;
  const edits = shortestEdits(removed, added);
  if (!edits) return undefined;

  const from = Math.max(0, start - contextLines);
  return hunks(
    [
      ...old.slice(from, start).map(kept),
      ...edits,
      ...old.slice(old.length - end, old.length - end + contextLines).map(kept),
    ],
    from + 1,
  );
}

function commonLines(
  old: readonly string[],
  young: readonly string[],
  at: (lines: readonly string[], index: number) => string | undefined,
): number {
  const most = Math.min(old.length, young.length);
  for (let index = 0; index < most; index++) {
    if (at(old, index) !== at(young, index)) return index;
  }
  return most;
}

function kept(line: string): Edit {
  return { mark: " ", line };
}

/** Undefined where there would be too many. */
function shortestEdits(old: readonly string[], young: readonly string[]): Edit[] | undefined {
  const edits = lineEdits(old, young).map(({ type, before, after }): Edit => {
    if (type === "added") return { mark: "+", line: young[after] ?? "" };
    return { mark: type === "removed" ? "-" : " ", line: old[before] ?? "" };
  });
  return edits.filter(({ mark }) => mark !== " ").length > maxEdits ? undefined : edits;
}

/** Leaves out what is equal for long. `firstLine` is where the edits begin. */
function hunks(edits: readonly Edit[], firstLine: number): string {
  const isNear = edits.map((_, index) =>
    edits
      .slice(Math.max(0, index - contextLines), index + contextLines + 1)
      .some(({ mark }) => mark !== " "),
  );
  const lines: string[] = [];
  let oldLine = firstLine;
  let youngLine = firstLine;
  for (const [index, { mark, line }] of edits.entries()) {
    if (isNear[index] && !isNear[index - 1]) lines.push(`@@ -${oldLine} +${youngLine} @@`);
    if (isNear[index]) lines.push(mark + line);
    if (mark !== "+") oldLine++;
    if (mark !== "-") youngLine++;
  }
  return lines.join("\n");
}
