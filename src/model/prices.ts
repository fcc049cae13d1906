import { z } from "zod";
import type { TokenUsage } from "../protocol/usage.ts";

const dollars = z.number().nonnegative();

/** US dollars per million tokens. */
export interface TokenRates {
  /** For tokens of requests. */
  readonly input: number;
  /** For tokens of replies. */
  readonly output: number;
  /** For tokens that are read from the provider's cache (default: as `input`). */
  readonly cacheRead?: number | undefined;
  /** For tokens that are written to the provider's cache (default: as `input`). */
  readonly cacheWrite?: number | undefined;
  /** For tokens that are written for an hour, which only Anthropic sells (default: twice the input). */
  readonly cacheWrite1h?: number | undefined;
}
const TokenRates = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
  cacheWrite1h: dollars.optional(),
}) satisfies z.ZodType<TokenRates>;

/** The rates of long requests. */
export interface LongRates extends TokenRates {
  /** A request of more tokens than this has these rates for all its tokens. */
  readonly above: number;
}

/** What a model costs. */
export interface ModelPrice extends TokenRates {
  /** The rates of long requests, where they differ. */
  readonly long?: LongRates | undefined;
}
export const ModelPrice = TokenRates.extend({
  long: TokenRates.extend({ above: z.int().positive() }).optional(),
}) satisfies z.ZodType<ModelPrice>;

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
