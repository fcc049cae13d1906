import { z } from "zod";
import type { Usage } from "../protocol/usage.ts";
import { knownModels } from "./known-models.ts";

const dollars = z.number().nonnegative();

/**
 * Dollars per million tokens. Tokens without a rate of their own cost as much as ordinary input.
 */
const Rates = z.strictObject({
  input: dollars,
  output: dollars,
  cache_read: dollars.optional(),
  cache_write: dollars.optional(),
});
export type Rates = z.infer<typeof Rates>;

/** What a model costs. A request of more than `long.above` tokens has the rates of `long` throughout. */
const Price = Rates.extend({
  long: Rates.extend({ above: z.int().positive() }).optional(),
});
export type Price = z.infer<typeof Price>;

/**
 * Prices and context windows by model id, such as `openai/gpt-5`. A key may end in `*`, for all ids
 * that begin so; of several that fit, the longest counts.
 */
export const PriceTable = z.record(
  z.string(),
  z.strictObject({ price: Price.optional(), context_window: z.int().positive().optional() }),
);
export type PriceTable = z.infer<typeof PriceTable>;

/** Undefined if the price is unknown, which is not the same as a price of 0. */
export function findPrice(modelId: string, overrides: PriceTable = {}): Price | undefined {
  return find(modelId, overrides, ({ price }) => price);
}

/**
 * How many tokens a request may have. For an unknown model, a size that nearly all models accept.
 */
export function contextWindow(modelId: string, overrides: PriceTable = {}): number {
  return findContextWindow(modelId, overrides) ?? 128_000;
}

/** Like `contextWindow`, but undefined if it is unknown. */
export function findContextWindow(modelId: string, overrides: PriceTable = {}): number | undefined {
  return find(modelId, overrides, ({ context_window }) => context_window);
}

/** In dollars. The four counts of `usage` do not overlap. */
export function costOf(usage: Usage, price: Price): number {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  const requestTokens = input_tokens + cache_read_tokens + cache_write_tokens;
  const rates = price.long && requestTokens > price.long.above ? price.long : price;
  const { input, output, cache_read = input, cache_write = input } = rates;
  // Whole numbers all the way, because sums of fractions such as 0.1 are not exact.
  const picoDollars =
    input_tokens * microDollars(input) +
    output_tokens * microDollars(output) +
    cache_read_tokens * microDollars(cache_read) +
    cache_write_tokens * microDollars(cache_write);
  return picoDollars / 1e12;
}

function microDollars(dollars: number): number {
  return Math.round(dollars * 1e6);
}

type Facts = PriceTable[string];

function find<Fact>(
  modelId: string,
  overrides: PriceTable,
  pick: (facts: Facts) => Fact | undefined,
): Fact | undefined {
  const fitting = Object.entries(overrides)
    .filter(([key]) => fits(key, modelId))
    .sort(([a], [b]) => rank(b) - rank(a))
    .map(([, facts]) => facts);
  const known = own(knownModels, modelId) ?? own(knownModels, withoutDate(modelId));
  for (const facts of known ? [...fitting, known] : fitting) {
    const fact = pick(facts);
    if (fact !== undefined) return fact;
  }
  return undefined;
}

function own(table: PriceTable, modelId: string): Facts | undefined {
  return Object.hasOwn(table, modelId) ? table[modelId] : undefined;
}

function fits(key: string, modelId: string): boolean {
  return key.endsWith("*") ? modelId.startsWith(key.slice(0, -1)) : modelId === key;
}

function rank(key: string): number {
  return key.endsWith("*") ? key.length : Number.POSITIVE_INFINITY;
}

/**
 * A snapshot costs as much as its model. No other suffix is removed: a model with a longer name may
 * cost many times as much.
 */
function withoutDate(modelId: string): string {
  return modelId.replace(/-(\d{8}|\d{4}-\d{2}-\d{2}|latest)$/, "");
}
