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

/**
 * Myers' greedy search: `furthest` has, for every diagonal (old minus young), how far into `old`
 * one gets with so many edits. Undefined where there would be too many.
 */
function shortestEdits(old: readonly string[], young: readonly string[]): Edit[] | undefined {
  const trace: Map<number, number>[] = [];
  const furthest = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= maxEdits; edits++) {
    trace.push(new Map(furthest));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = entryOf(furthest, diagonal, edits);
      while (x < old.length && x - diagonal < young.length && old[x] === young[x - diagonal]) x++;
      furthest.set(diagonal, x);
      if (x >= old.length && x - diagonal >= young.length) return wayBack(trace, old, young);
    }
  }
  return undefined;
}

/** Where a diagonal is entered: from the neighbour that got further. */
function entryOf(furthest: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const below = furthest.get(diagonal - 1) ?? -1;
  const above = furthest.get(diagonal + 1) ?? -1;
  return diagonal === -edits || (diagonal !== edits && below < above) ? above : below + 1;
}

function wayBack(
  trace: readonly ReadonlyMap<number, number>[],
  old: readonly string[],
  young: readonly string[],
): Edit[] {
  const found: Edit[] = [];
  let x = old.length;
  let y = young.length;
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const start = entryOf(trace[edits] ?? new Map(), x - y, edits);
    const startY = start - (x - y);
    for (; x > start && y > startY; x--, y--) found.push(kept(old[x - 1] ?? ""));
    if (edits === 0) break;
    const isAddition = (trace[edits]?.get(x - y + 1) ?? -1) === start;
    if (isAddition) found.push({ mark: "+", line: young[--y] ?? "" });
    else found.push({ mark: "-", line: old[--x] ?? "" });
  }
  return found.reverse();
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
