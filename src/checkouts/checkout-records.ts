import type { CheckoutRecord } from "../protocol/checkout.ts";
import type { MemberName } from "../protocol/ids.ts";

/**
 * What a team knows of its members' checkouts. Any process may look; the one that runs the team writes.
 *
 * Every backend promises, and src/testing/conformance/checkout-records.ts checks, that:
 * - once a change resolves it survives a crash, and it has raised the record's `version` by one;
 * - there is one record for each member, and it does not disappear;
 * - what troupe did not write is no record.
 */
export interface CheckoutRecords {
  /** In the order of the names of their members. */
  list(): Promise<CheckoutRecord[]>;
  /** The checkout of a member, if it has or had one. */
  get(member: MemberName): Promise<CheckoutRecord | undefined>;
  /** Makes the record of a member. Throws `checkout-failed` where another process has changed it meanwhile. */
  put(checkout: CheckoutDraft): Promise<CheckoutRecord>;
}

/** A record before it has its times and the number of the change. */
export type CheckoutDraft = Omit<CheckoutRecord, "created_at" | "updated_at" | "version"> & {
  /** When it was begun (default: now). */
  created_at?: string | undefined;
};
