/** The median; the upper one of the two middle values for an even number. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The smallest value that is at least as large as `share` of all. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)];
  if (value === undefined) throw new Error("No values to choose from");
  return value;
}

/**
 * The median of the ratios of each round, so that a slow moment of the machine affects both values.
 */
export function medianRatio(dividends: readonly number[], divisors: readonly number[]): number {
  return median(dividends.map((dividend, round) => dividend / (divisors[round] ?? Number.NaN)));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
