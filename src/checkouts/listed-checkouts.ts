import { isThere } from "../lib/is-there.ts";
import type { CheckoutRecord } from "../protocol/checkout.ts";
import type { CommitId, MemberName } from "../protocol/ids.ts";

/** A checkout whose files are there. */
export interface ListedCheckout {
  /** Whose it is or was. */
  member: MemberName;
  /** `retired`: nobody works in it now. */
  state: "making" | "ready" | "retired";
  /** Where it is. */
  path: string;
  /** The directory of the person's repository that keeps its work. */
  repository: string;
  /** The commit that it began with. */
  base: CommitId;
  /** When it came into its state: ISO 8601, in UTC. */
  since: string;
  /** The commit that keeps the work of an earlier checkout of its member, where there is such a commit. */
  kept: CommitId | undefined;
  /** True where its member has had another one since. */
  isEarlier: boolean;
}

/** All checkouts of the records, also those that their members had before. */
export async function listCheckouts(records: readonly CheckoutRecord[]): Promise<ListedCheckout[]> {
  const listed: ListedCheckout[] = [];
  for (const { id: member, repository, earlier, ...record } of records) {
    for (const { path, base, retired_at: since, kept } of earlier) {
      const past = { state: "retired", isEarlier: true } as const;
      listed.push({ member, path, repository, base, since, kept, ...past });
    }
    const { state, path, base, created_at, updated_at } = record;
    if (state === "removed") continue;
    const since = state === "retired" ? updated_at : created_at;
    const newest = { kept: undefined, isEarlier: false };
    listed.push({ member, state, path, repository, base, since, ...newest });
  }
  const found = await Promise.all(listed.map(({ path }) => isThere(path)));
  return listed.filter(({ state }, index) => found[index] || state === "making");
}
