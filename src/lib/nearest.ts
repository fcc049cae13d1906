/** The candidate closest to a mistyped `word`; undefined if none is close. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let limit = Math.min(maxSlips + 1, word.length);
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= limit) continue;
    const slips = countSlips(word, candidate);
    if (slips >= limit) continue;
    best = candidate;
    limit = slips;
  }
  return best;
}

const maxSlips = 2;

/** Up to three candidates whose names are close to `word`, or begin with it; the closest first. */
export function closest(
  word: string,
  candidates: readonly string[],
  nameOf: (candidate: string) => string,
): string[] {
  const rank = (candidate: string) => {
    const name = nameOf(candidate);
    return word !== "" && name.startsWith(word) ? 0 : countSlips(word, name);
  };
  return candidates
    .map((candidate) => ({ candidate, slips: rank(candidate) }))
    .filter(({ slips }) => slips <= Math.min(maxSlips + 1, word.length / 3))
    .sort((a, b) => a.slips - b.slips)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** The edit distance: how many letters to insert, delete or change. */
function countSlips(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const [left = 0, above = 0, diagonal = 0] = [next[j - 1], row[j], row[j - 1]];
      next.push(Math.min(left + 1, above + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
