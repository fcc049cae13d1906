import { z } from "zod";
import { MemberName } from "./ids.ts";

const count = z.int().nonnegative();

/** The bound is far above any bill: a damaged line must not put the sum out of range. */
const dollars = z.number().nonnegative().max(1e9);

const tokens = {
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count.default(0),
  cache_write_tokens: count.default(0),
};

/** The tokens of calls. These counts do not overlap. */
export interface TokenCounts {
  /** Tokens of requests that were neither read from the provider's cache nor written to it. */
  input_tokens: number;
  /** Tokens of replies, thoughts among them. */
  output_tokens: number;
  /** Tokens of requests that were read from the provider's cache. */
  cache_read_tokens: number;
  /** Tokens of requests that were written to the provider's cache. */
  cache_write_tokens: number;
}

/** The tokens of one model call, and its cost if the provider says so, as the provider reported them. */
export interface TokenUsage extends TokenCounts {
  /** Those of `cache_write_tokens` that were written for an hour, at a price of their own. */
  cache_write_1h_tokens?: number | undefined;
  /** The cost in US dollars; absent if neither the provider nor a known price says it. */
  cost_usd?: number | undefined;
}
export const TokenUsage = z.object({
  ...tokens,
  cache_write_1h_tokens: count.optional(),
  cost_usd: dollars.optional(),
}) satisfies z.ZodType<TokenUsage>;

/** All tokens of a call. */
export function totalTokens(usage: TokenCounts): number {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  return input_tokens + output_tokens + cache_read_tokens + cache_write_tokens;
}

/**
 * One model call of one member. Its cost is the provider's, or else computed; absent if the model has
 * no known price.
 */
export interface UsageRecord extends TokenUsage {
  type: "call";
  /** When the call ended: ISO 8601, in UTC. */
  at: string;
  /** Who called. */
  member: MemberName;
  /** The id of the model that answered. */
  model: string;
}
export const UsageRecord = z.object({
  type: z.literal("call"),
  at: z.iso.datetime(),
  member: MemberName,
  model: z.string(),
  ...TokenUsage.shape,
}) satisfies z.ZodType<UsageRecord>;

/** The sum of a member's calls. */
export interface UsageTotal extends TokenCounts {
  /** How many calls were made. */
  calls: number;
  /** What the calls with a known price cost, in US dollars. */
  cost_usd: number;
  /** How many calls have no price in `cost_usd`. */
  unpriced_calls: number;
}
export const UsageTotal = z.object({
  calls: count,
  ...tokens,
  cost_usd: dollars,
  unpriced_calls: count,
}) satisfies z.ZodType<UsageTotal>;

/** A sum of calls for programs that read it. */
export interface UsageReport extends Omit<UsageTotal, "cost_usd"> {
  /**
   * What the calls with a known price cost, in US dollars. Null, and not 0, where only
   * `unpriced_calls` had a cost.
   */
  cost_usd: number | null;
}

export function reportUsage<Total extends Pick<UsageTotal, "cost_usd" | "unpriced_calls">>(
  total: Total,
): Omit<Total, "cost_usd"> & Pick<UsageReport, "cost_usd"> {
  const isUnknown = total.cost_usd === 0 && total.unpriced_calls > 0;
  return { ...total, cost_usd: isUnknown ? null : total.cost_usd };
}

/** The sum of one member's calls, in a line that carries it over. */
export interface CarriedTotal extends UsageTotal {
  /** Whose calls these are. */
  member: MemberName;
}

/** The totals of all calls before this line: the first line of a file that follows another. */
export interface UsageCarried {
  type: "carried";
  /** When it was written: ISO 8601, in UTC. */
  at: string;
  /** One total for each member that has made calls. */
  members: CarriedTotal[];
}
export const UsageCarried = z.object({
  type: z.literal("carried"),
  at: z.iso.datetime(),
  members: z.array(UsageTotal.extend({ member: MemberName })),
}) satisfies z.ZodType<UsageCarried>;

/** One line of `usage.jsonl`. */
export type UsageLine = UsageRecord | UsageCarried;
export const UsageLine = z.discriminatedUnion("type", [
  UsageRecord,
  UsageCarried,
]) satisfies z.ZodType<UsageLine>;
