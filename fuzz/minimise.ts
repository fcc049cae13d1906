/** The limit of lines to try, so that a slow one does not delay the rest. */
const mostTrials = 120;

/** Drops tokens from a line as long as `stillHits` is true, the longest runs of them first. */
export async function minimise(
  line: string,
  stillHits: (line: string) => Promise<boolean>,
): Promise<string> {
  let tokens: string[] = line.match(/\s+|@?\w+@?|[^\w\s]/g) ?? [];
  let trials = 0;
  for (
    let size = Math.ceil(tokens.length / 2);
    size > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let start = 0; start < tokens.length && trials < mostTrials; ) {
      const shorter = tokens.toSpliced(start, size);
      trials++;
      if (shorter.length > 0 && (await stillHits(shorter.join("")))) tokens = shorter;
      else start += size;
    }
  }
  return tokens.join("");
}
