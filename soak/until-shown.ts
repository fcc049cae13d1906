const maxRuns = 6;

/** Runs a control until it shows its fault, which depends on chance. */
export async function untilShown<Key extends string, T extends Record<Key, number>>(
  key: Key,
  run: () => Promise<T>,
): Promise<T> {
  for (let runs = 1; ; runs++) {
    const tally = await run();
    if (tally[key] > 0 || runs === maxRuns) return tally;
  }
}
