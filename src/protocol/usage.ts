import { z } from "zod";
import { MemberName } from "./ids.ts";

const count = z.int().nonnegative();

/** What one model call used, as the provider reported it. */
export const Usage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count.default(0),
  cache_write_tokens: count.default(0),
});
export type Usage = z.infer<typeof Usage>;

/** One line of `usage.jsonl`: what one model call of one member cost. */
export const UsageRecord = z.object({
  type: z.literal("call"),
  at: z.iso.datetime(),
  member: MemberName,
  model: z.string(),
  ...Usage.shape,
  /** Absent where the model has no known price. */
  cost_usd: z.number().nonnegative().optional(),
});
export type UsageRecord = z.infer<typeof UsageRecord>;

/** The sum of a member's calls. */
export const UsageTotal = z.object({
  calls: count,
  ...Usage.shape,
  cost_usd: z.number().nonnegative(),
  /** Calls that have no price in `cost_usd`. */
  unpriced_calls: count,
});
export type UsageTotal = z.infer<typeof UsageTotal>;
