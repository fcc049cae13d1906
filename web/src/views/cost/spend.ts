import type { CostView } from "../../../../src/protocol/dashboard.ts";

export type Measure = "cost" | "tokens";

/** One band of the chart: a member, or all members without their own band. */
export interface Band {
  name: string;
  isOthers: boolean;
  /** For each time, the total usage until then. */
  values: readonly number[];
  /** For each time, the lower edge of the band: the sum of the bands below. */
  base: readonly number[];
  total: number;
}

/** How many members have their own band. */
export const mostBands = 8;

/** The members stacked, the largest at the bottom; the small ones share the band on top. */
export function bandsOf({ times, members }: CostView, measure: Measure): Band[] {
  const key = measure === "cost" ? "cost_usd" : "tokens";
  const lines = members
    .map((member) => ({ name: member.name, values: member[key], total: member[key].at(-1) ?? 0 }))
    .filter(({ total }) => total > 0)
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  const own = lines.length <= mostBands ? lines : lines.slice(0, mostBands - 1);
  const rest = lines.slice(own.length);
  const values = times.map((_, at) => rest.reduce((sum, line) => sum + (line.values[at] ?? 0), 0));
  const others = { name: `${rest.length} others`, values, total: values.at(-1) ?? 0 };
  let base: readonly number[] = times.map(() => 0);
  return [...own, ...(rest.length > 0 ? [others] : [])].map((line) => {
    const band = { ...line, base, isOthers: line === others };
    base = base.map((below, at) => below + (line.values[at] ?? 0));
    return band;
  });
}

export interface Total {
  name: string;
  cost: number;
  tokens: number;
  unpricedCalls: number;
}

/** Each member's total usage, largest first. */
export function totalsOf({ members }: CostView, measure: Measure): Total[] {
  return members
    .map(({ name, cost_usd, tokens, unpriced_calls }) => ({
      name,
      cost: cost_usd.at(-1) ?? 0,
      tokens: tokens.at(-1) ?? 0,
      unpricedCalls: unpriced_calls,
    }))
    .sort((a, b) => b[measure] - a[measure] || b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
}

/** The measure to show first: the cost, unless no call has a price. */
export function usualMeasure({ members }: CostView): Measure {
  return members.some(({ cost_usd }) => (cost_usd.at(-1) ?? 0) > 0) ? "cost" : "tokens";
}

const palette = ["blue", "magenta", "green", "yellow", "cyan", "red"].map(
  (name) => `var(--${name})`,
);
const spare = [...palette, "var(--accent)", "var(--ink-soft)"];

/** A colour for each band: the member's own unless a larger band has it. */
export function bandColors(
  bands: readonly Band[],
  colorOf: (name: string) => string,
): ReadonlyMap<string, string> {
  const colors = new Map<string, string>();
  const taken = new Set<string>();
  for (const { name, isOthers } of bands) {
    const color = colorOf(name);
    if (isOthers || !palette.includes(color) || taken.has(color)) continue;
    colors.set(name, color);
    taken.add(color);
  }
  for (const { name, isOthers } of bands) {
    if (colors.has(name)) continue;
    const free = spare.find((color) => !taken.has(color));
    const color = isOthers || free === undefined ? "var(--ink-faint)" : free;
    colors.set(name, color);
    taken.add(color);
  }
  return colors;
}
