const maxRuns = 6;

/** Runs a control until it shows what it is there to show. What it needs is chance, not a fault. */
export async function untilShown<Key extends string, T extends Record<Key, number>>(
  key: Key,
  run: () => Promise<T>,
): Promise<T> {
  for (let runs = 1; ; runs++) {
    const tally = await run();
    if (tally[key] > 0 || runs === maxRuns) return tally;
  }
}
