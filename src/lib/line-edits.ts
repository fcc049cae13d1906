/** A line of a diff; the numbers count from 0 in the text before and the text after. */
export interface LineEdit {
  type: "kept" | "removed" | "added";
  before: number;
  after: number;
}

/** From `start` to before `end`. */
export interface Range {
  from: number;
  to: number;
}

/** The most edits that the exact search looks for. */
const maxEdits = 200;
const maxSplits = 6;

/**
 * The edits that turn one list of lines into the other: the fewest if few lines differ; if many do,
 * lines that occur once in both are kept, and everything between them is replaced.
 */
export function lineEdits(before: readonly string[], after: readonly string[]): LineEdit[] {
  return new LineDiff(before, after).edits();
}

/**
 * The ranges of the changes among the edits, each with up to `context` kept lines on either side.
 * Ranges that touch are one hunk.
 */
export function hunksOf(edits: readonly LineEdit[], context = 3): Range[] {
  const hunks: Range[] = [];
  for (const [index, { type }] of edits.entries()) {
    if (type === "kept") continue;
    const last = hunks.at(-1);
    const to = Math.min(edits.length, index + context + 1);
    if (last && index - context <= last.to) last.to = to;
    else hunks.push({ from: Math.max(0, index - context), to });
  }
  return hunks;
}

class LineDiff {
  readonly #before: readonly string[];
  readonly #after: readonly string[];
  readonly #edits: LineEdit[] = [];

  constructor(before: readonly string[], after: readonly string[]) {
    this.#before = before;
    this.#after = after;
  }

  edits(): LineEdit[] {
    const [before, after] = [this.#before, this.#after];
    this.#compare({ from: 0, to: before.length }, { from: 0, to: after.length }, maxSplits);
    return this.#edits;
  }

  #compare(before: Range, after: Range, splits: number): void {
    const most = Math.min(before.to - before.from, after.to - after.from);
    let start = 0;
    while (start < most && this.#isSame(before.from + start, after.from + start)) start++;
    let end = 0;
    while (end < most - start && this.#isSame(before.to - 1 - end, after.to - 1 - end)) end++;

    this.#keep(before.from, after.from, start);
    this.#compareMiddle(
      { from: before.from + start, to: before.to - end },
      { from: after.from + start, to: after.to - end },
      splits,
    );
    this.#keep(before.to - end, after.to - end, end);
  }

  #compareMiddle(before: Range, after: Range, splits: number): void {
    if (before.from === before.to || after.from === after.to) {
      this.#replace(before, after);
      return;
    }
    const snakes = this.#shortest(before, after);
    if (snakes) this.#follow(snakes, before, after);
    else if (splits > 0) this.#split(before, after, splits - 1);
    else this.#replace(before, after);
  }

  #isSame(before: number, after: number): boolean {
    return this.#before[before] === this.#after[after];
  }

  #keep(before: number, after: number, count: number): void {
    for (let index = 0; index < count; index++) {
      this.#edits.push({ type: "kept", before: before + index, after: after + index });
    }
  }

  #replace(before: Range, after: Range): void {
    for (let line = before.from; line < before.to; line++) {
      this.#edits.push({ type: "removed", before: line, after: after.from });
    }
    for (let line = after.from; line < after.to; line++) {
      this.#edits.push({ type: "added", before: before.to, after: line });
    }
  }

  /**
   * Myers' greedy search. The result has the position of each kept line in both texts, in order;
   * undefined if there would be too many edits.
   */
  #shortest(before: Range, after: Range): [number, number][] | undefined {
    const [rows, columns] = [before.to - before.from, after.to - after.from];
    const limit = Math.min(maxEdits, rows + columns);
    const furthest = new Int32Array(2 * limit + 3);
    const trace: Int32Array[] = [];
    for (let edits = 0; edits <= limit; edits++) {
      trace.push(furthest.slice());
      for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
        let x = entryOf(furthest, { diagonal, edits, limit });
        while (
          x < rows &&
          x - diagonal < columns &&
          this.#isSame(before.from + x, after.from + x - diagonal)
        ) {
          x++;
        }
        furthest[diagonal + limit + 1] = x;
        if (x >= rows && x - diagonal >= columns) return keptLines(trace, { rows, columns, limit });
      }
    }
    return undefined;
  }

  #follow(kept: readonly [number, number][], before: Range, after: Range): void {
    let [x, y] = [before.from, after.from];
    for (const [keptX, keptY] of kept) {
      const [nextX, nextY] = [before.from + keptX, after.from + keptY];
      this.#replace({ from: x, to: nextX }, { from: y, to: nextY });
      this.#keep(nextX, nextY, 1);
      [x, y] = [nextX + 1, nextY + 1];
    }
    this.#replace({ from: x, to: before.to }, { from: y, to: after.to });
  }

  /** Compares between the lines that occur once in each part, as far as their order is the same. */
  #split(before: Range, after: Range, splits: number): void {
    const places = uniquePlaces(this.#after, after);
    const common: [number, number][] = [];
    for (const [line, x] of uniquePlaces(this.#before, before)) {
      const y = places.get(line);
      if (y !== undefined) common.push([x, y]);
    }
    const anchors = longestRising(common);
    if (anchors.length === 0) {
      this.#replace(before, after);
      return;
    }
    let [x, y] = [before.from, after.from];
    for (const [anchorX, anchorY] of anchors) {
      this.#compare({ from: x, to: anchorX }, { from: y, to: anchorY }, splits);
      this.#keep(anchorX, anchorY, 1);
      [x, y] = [anchorX + 1, anchorY + 1];
    }
    this.#compare({ from: x, to: before.to }, { from: y, to: after.to }, splits);
  }
}

interface DiagonalStep {
  diagonal: number;
  edits: number;
  limit: number;
}

/** Where a diagonal is entered: from the neighbour that got further. */
function entryOf(furthest: Int32Array, step: DiagonalStep): number {
  const { diagonal, limit } = step;
  if (isAddition(furthest, step)) return furthest[diagonal + limit + 2] ?? 0;
  return (furthest[diagonal + limit] ?? 0) + 1;
}

/** Whether a diagonal is entered by a line that is added, not by one that is removed. */
function isAddition(furthest: Int32Array, { diagonal, edits, limit }: DiagonalStep): boolean {
  const below = furthest[diagonal + limit] ?? 0;
  const above = furthest[diagonal + limit + 2] ?? 0;
  return diagonal === -edits || (diagonal !== edits && below < above);
}

function keptLines(
  trace: readonly Int32Array[],
  { rows, columns, limit }: { rows: number; columns: number; limit: number },
): [number, number][] {
  const kept: [number, number][] = [];
  let [x, y] = [rows, columns];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const furthest = trace[edits] ?? new Int32Array();
    const step = { diagonal: x - y, edits, limit };
    const entry = edits === 0 ? 0 : entryOf(furthest, step);
    while (x > entry && y > entry - step.diagonal) kept.push([--x, --y]);
    if (isAddition(furthest, step)) y--;
    else x--;
  }
  return kept.reverse();
}

/** The lines that occur once in a range, with their places, in order. */
function uniquePlaces(lines: readonly string[], { from, to }: Range): Map<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (let index = from; index < to; index++) {
    const line = lines[index] ?? "";
    if (places.has(line)) repeated.add(line);
    else places.set(line, index);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

/** The most pairs, of those in order of their first number, that the second number orders too. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, [, y]] of pairs.entries()) {
    const length = countBelow(ends, (end) => (pairs[end]?.[1] ?? 0) < y);
    previous.push(ends[length - 1] ?? -1);
    ends[length] = index;
  }
  const found: [number, number][] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair) found.push(pair);
  }
  return found.reverse();
}

/** How many of `sorted` satisfy what the first ones satisfy and the rest do not. */
function countBelow(sorted: readonly number[], isBelow: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(sorted[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
