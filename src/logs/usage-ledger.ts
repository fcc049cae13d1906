import type { MemberName } from "../protocol/ids.ts";
import type { UsageRecord, UsageTotal } from "../protocol/usage.ts";

/** The operations of any process on a team's bill. */
export interface UsageReader {
  /** What each member's calls add up to, exactly, at a cost that does not grow with history. */
  totals(): Promise<Map<MemberName, UsageTotal>>;
}

/**
 * What each model call of a team used and cost. One process writes it.
 *
 * Every backend promises, and src/testing/conformance/usage-ledger.ts checks, that:
 * - once `record` resolves, the call is in the totals and survives the death of the process;
 * - a call whose `record` throws is not in the totals, so it may be recorded again;
 * - totals do not drift: money is added in decimal, and calls without a price are counted apart.
 */
export interface UsageLedger extends UsageReader {
  /** Adds a model call, and resolves when it is stored. */
  record(usage: UsageRecord): Promise<void>;
}
