/** The candidate closest to a mistyped `word`; undefined if none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  // Of three letters, two slips leave nothing to recognize it by.
  const most = word.length <= 3 ? Math.min(1, word.length - 1) : maxSlips;
  const lengthened = (candidate: string) => Math.abs(candidate.length - word.length);
  const [best] = [...candidates]
    .filter((candidate) => lengthened(candidate) <= most)
    .map((candidate) => ({ candidate, slips: countSlips(word, candidate) }))
    .filter(({ slips }) => slips <= most)
    // Two letters are swapped more often than one is added or left out.
    .sort((a, b) => a.slips - b.slips || lengthened(a.candidate) - lengthened(b.candidate));
  return best?.candidate;
}

const maxSlips = 2;

/** Up to three candidates whose names are close to `word`, or begin with it; the closest first. */
export function closest(
  word: string,
  candidates: readonly string[],
  nameOf: (candidate: string) => string,
): string[] {
  const most = Math.min(maxSlips + 1, word.length / 3);
  const rank = (name: string) => {
    if (word !== "" && name.startsWith(word)) return 0;
    // Each letter that one has more than the other is a slip. Counting takes far longer than this.
    const isFar = Math.abs(name.length - word.length) > most;
    return isFar ? Number.POSITIVE_INFINITY : countSlips(word, name);
  };
  return candidates
    .map((candidate) => ({ candidate, slips: rank(nameOf(candidate)) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** The edit distance: how many letters to insert, delete, change or swap with the next one. */
function countSlips(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const [left = 0, above = 0, diagonal = 0] = [next[j - 1], row[j], row[j - 1]];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      const changed = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(left + 1, above + 1, changed, swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
