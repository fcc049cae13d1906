import type { CheckoutRecord } from "../protocol/checkout.ts";
import type { CommitId, MemberName } from "../protocol/ids.ts";

/** What a checkout held at one moment, as the person's repository keeps it. */
export interface KeptWork {
  /** The ref that keeps it: `refs/troupe/<team id>/<member>/<number>`. */
  ref: string;
  /** All files as they were, behind the member's own commits. */
  commit: CommitId;
  /** The commit that the checkout began with. */
  base: CommitId;
  /** The name of the branch that the work is to land on. */
  target: string;
}

/** The checkouts of a team's members. */
export interface Checkouts {
  /** The newest checkout of every member that has or had one. */
  list(): Promise<CheckoutRecord[]>;
  /**
   * Keeps what the checkout of a member holds: its files, changed, new and removed, and its commits. Undefined where nothing has
   * changed since the last time, and for a member without a checkout. Repeating it after a crash keeps the same work.
   */
  keep(member: MemberName, signal?: AbortSignal): Promise<KeptWork | undefined>;
  /** What was kept last of the member's newest checkout; undefined where nothing was. */
  latest(member: MemberName): Promise<KeptWork | undefined>;
}
