import { z } from "zod";
import { MemberName } from "./ids.ts";

const count = z.int().nonnegative();

/** The bound is far above any bill: a damaged line must not put the sum out of range. */
const dollars = z.number().nonnegative().max(1e9);

/** The tokens of calls. These counts do not overlap. */
const tokens = {
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count.default(0),
  cache_write_tokens: count.default(0),
};

/** The tokens of one model call, and its cost if the provider says so, as the provider reported them. */
export const TokenUsage = z.object({
  ...tokens,
  /** Those of `cache_write_tokens` that were written for an hour, at a price of their own. */
  cache_write_1h_tokens: count.optional(),
  cost_usd: dollars.optional(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** All tokens of a call. */
export function totalTokens(usage: TokenUsage): number {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  return input_tokens + output_tokens + cache_read_tokens + cache_write_tokens;
}

/** One model call of one member, with its cost. */
export const UsageRecord = z.object({
  type: z.literal("call"),
  at: z.iso.datetime(),
  member: MemberName,
  model: z.string(),
  /** Its cost is the provider's, or else computed; absent if the model has no known price. */
  ...TokenUsage.shape,
});
export type UsageRecord = z.infer<typeof UsageRecord>;

/** The sum of a member's calls. */
export const UsageTotal = z.object({
  calls: count,
  ...tokens,
  /** Of the calls with a known price. */
  cost_usd: dollars,
  /** Calls that have no price in `cost_usd`. */
  unpriced_calls: count,
});
export type UsageTotal = z.infer<typeof UsageTotal>;

/** A sum of calls for programs that read it. */
export type UsageReport = Omit<UsageTotal, "cost_usd"> & {
  /** Of the calls with a known price. Null, and not 0, where only `unpriced_calls` had a cost. */
  cost_usd: number | null;
};

export function reportUsage<Total extends Pick<UsageTotal, "cost_usd" | "unpriced_calls">>(
  total: Total,
): Omit<Total, "cost_usd"> & Pick<UsageReport, "cost_usd"> {
  const isUnknown = total.cost_usd === 0 && total.unpriced_calls > 0;
  return { ...total, cost_usd: isUnknown ? null : total.cost_usd };
}

/** The totals of all calls before this line: the first line of a file that follows another. */
export const UsageCarried = z.object({
  type: z.literal("carried"),
  at: z.iso.datetime(),
  members: z.array(UsageTotal.extend({ member: MemberName })),
});
export type UsageCarried = z.infer<typeof UsageCarried>;

/** One line of `usage.jsonl`. */
export const UsageLine = z.discriminatedUnion("type", [UsageRecord, UsageCarried]);
export type UsageLine = z.infer<typeof UsageLine>;
