/** A count of tokens in few letters: `950`, `12.3k`, `4.56M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  const [unit, size] = count < 999_950 ? ["k", 1_000] : ["M", 1_000_000];
  return `${Number((count / size).toPrecision(3))}${unit}`;
}

export interface Cost {
  cost_usd: number;
  calls: number;
  unpriced_calls: number;
}

/** What calls cost, as far as that is known. */
export function costText({ cost_usd, calls, unpriced_calls }: Cost): string {
  if (calls > 0 && unpriced_calls === calls) return "no price";
  const known = `$${cost_usd.toFixed(cost_usd < 100 ? 4 : 2)}`;
  return unpriced_calls > 0 ? `≥ ${known}` : known;
}
