import { z } from "zod";
import type { TokenUsage } from "../protocol/usage.ts";

const dollars = z.number().nonnegative();

/**
 * Dollars per million tokens. Tokens without a rate of their own cost as much as ordinary input.
 */
const Rates = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
  /** What is written for an hour, which only Anthropic sells (default: twice the input, as there). */
  cacheWrite1h: dollars.optional(),
});

/** What a model costs. A request of more than `long.above` tokens has the rates of `long` throughout. */
export const ModelPrice = Rates.extend({
  long: Rates.extend({ above: z.int().positive() }).optional(),
});
export type ModelPrice = Readonly<z.infer<typeof ModelPrice>>;

/** In dollars. */
export function costOf(usage: TokenUsage, price: ModelPrice): number {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  const { cache_write_1h_tokens = 0 } = usage;
  const requestTokens = input_tokens + cache_read_tokens + cache_write_tokens;
  const rates = price.long && requestTokens > price.long.above ? price.long : price;
  const { input, output, cacheRead = input, cacheWrite = input, cacheWrite1h = input * 2 } = rates;
  // Whole numbers all the way, because sums of fractions such as 0.1 are not exact.
  const picoDollars =
    input_tokens * microDollars(input) +
    output_tokens * microDollars(output) +
    cache_read_tokens * microDollars(cacheRead) +
    (cache_write_tokens - cache_write_1h_tokens) * microDollars(cacheWrite) +
    cache_write_1h_tokens * microDollars(cacheWrite1h);
  return picoDollars / 1e12;
}

function microDollars(dollars: number): number {
  return Math.round(dollars * 1e6);
}
