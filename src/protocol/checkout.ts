import { z } from "zod";
import { CommitId, MemberName } from "./ids.ts";

/** Whether a member works in the lead's directory, or in a checkout: a repository of its own. */
export type Isolation = "shared" | "checkout";
export const Isolation = z.enum(["shared", "checkout"]);

/** What a checkout begins with: the last commit, or that and what the person has not committed. */
export type CheckoutBase = "head" | "working";
export const CheckoutBase = z.enum(["head", "working"]);

/** What a member's checkout is, in the member's record. */
export interface MemberCheckout {
  /** Where it is. */
  path: string;
  /** The commit that it began with. */
  base: CommitId;
  /** The name of the branch that its work is to land on. */
  target: string;
}
export const MemberCheckout = z.object({
  path: z.string().min(1),
  base: CommitId,
  target: z.string().min(1),
}) satisfies z.ZodType<MemberCheckout>;

/**
 * The state of a checkout:
 * - `making`: nobody works in it yet; what a crash leaves of it is removed at the next start;
 * - `ready`: its member works in it;
 * - `retired`: its member has ended, or has another one; it is kept for a while;
 * - `removed`: its files are gone; the refs that keep its work stay.
 */
export type CheckoutState = "making" | "ready" | "retired" | "removed";
export const CheckoutState = z.enum(["making", "ready", "retired", "removed"]);

/** A checkout of one member, of the time before its present one. */
export interface EarlierCheckout {
  /** Where it is. */
  path: string;
  /** The commit that it began with. */
  base: CommitId;
  /** When it was retired: ISO 8601, in UTC. */
  retired_at: string;
  /** The commit that keeps its work (default: nothing in it has changed). */
  kept?: CommitId | undefined;
}
export const EarlierCheckout = z.object({
  path: z.string().min(1),
  base: CommitId,
  retired_at: z.iso.datetime(),
  kept: CommitId.optional(),
}) satisfies z.ZodType<EarlierCheckout>;

/** A link in a checkout to a file or directory of the person. */
export interface CheckoutLink {
  /** Where it is in the checkout. */
  path: string;
  /** What it leads to. */
  to: string;
}
export const CheckoutLink = z.object({
  path: z.string().min(1),
  to: z.string().min(1),
}) satisfies z.ZodType<CheckoutLink>;

/** The checkout of one member: `checkouts/<name>.json`. Every change raises `version` by one. */
export interface CheckoutRecord extends MemberCheckout {
  /** The name of its member. */
  id: MemberName;
  /** Its state. */
  state: CheckoutState;
  /** The directory of the person's repository, whose objects and refs it has. */
  repository: string;
  /** The branch that its member works on. */
  branch: string;
  /** The incarnation that it was made for. */
  incarnation: string;
  /** The number of the first ref that keeps its work (default: 1). */
  first_ref?: number | undefined;
  /** The links in it to the person's files (default: none). */
  links?: CheckoutLink[] | undefined;
  /** The checkouts that the member had before this one, and that are not removed yet. */
  earlier: EarlierCheckout[];
  /** When it was begun: ISO 8601, in UTC. */
  created_at: string;
  /** When it was last changed: ISO 8601, in UTC. */
  updated_at: string;
  /** The number of its changes, counted from 1. */
  version: number;
}
export const CheckoutRecord = z.object({
  id: MemberName,
  state: CheckoutState,
  path: z.string().min(1),
  repository: z.string().min(1),
  base: CommitId,
  target: z.string().min(1),
  branch: z.string().min(1),
  incarnation: z.string().min(1),
  first_ref: z.int().positive().optional(),
  links: z.array(CheckoutLink).optional(),
  earlier: z.array(EarlierCheckout),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  version: z.int().positive(),
}) satisfies z.ZodType<CheckoutRecord>;
