import { z } from "zod";
import { CommitId, LandingId, MemberName } from "./ids.ts";

/**
 * What happens to the work of a member with a checkout when its run ends:
 * - `auto`: it lands as soon as it has passed the check;
 * - `ask`: it waits for the person's decision, each time;
 * - `never`: it waits for the person, who is not asked.
 */
export type LandingMode = "auto" | "ask" | "never";
export const LandingMode = z.enum(["auto", "ask", "never"]);

/**
 * The state of a landing:
 * - `taken`: it is in the queue;
 * - `merged`: it is merged with the target, and the result is being checked;
 * - `landed`: it is in the target;
 * - `conflict`, `rejected`: it cannot be merged, or has not passed the check; its member was told;
 * - `failed`: it was given up after the last attempt; the lead was told;
 * - `replaced`: a later landing of the same member has its work, and more;
 * - `discarded`: the person does not want it.
 */
export type LandingState =
  | "taken"
  | "merged"
  | "landed"
  | "conflict"
  | "rejected"
  | "failed"
  | "replaced"
  | "discarded";
export const LandingState = z.enum([
  "taken",
  "merged",
  "landed",
  "conflict",
  "rejected",
  "failed",
  "replaced",
  "discarded",
]);

/** What came of the check of a landing. */
export interface LandingCheck {
  /** The command, as it was run. */
  command: string;
  /** Its exit code; null where it was ended, or was not started. */
  exit_code: number | null;
  /** Why it did not pass. */
  reason: string;
  /** The end of what it printed. */
  output: string;
  /** Where all that it printed is, as far as it is kept; absent where `output` is everything. */
  output_path?: string | undefined;
}
export const LandingCheck = z.object({
  command: z.string(),
  exit_code: z.int().nullable(),
  reason: z.string(),
  output: z.string(),
  output_path: z.string().optional(),
}) satisfies z.ZodType<LandingCheck>;

/** The work of one member on its way to the target: `landings/<id>.json`. Every change raises `version` by one. */
export interface Landing {
  /** Its place in the queue, as a text. */
  id: LandingId;
  /** Whose work it is. */
  member: MemberName;
  /** The ref in the person's repository that keeps the work. */
  ref: string;
  /** The commit that is to land. */
  commit: CommitId;
  /** The commit that the member's checkout began with. */
  base: CommitId;
  /** The name of the branch that it lands on. */
  target: string;
  /** Its state. */
  state: LandingState;
  /** The number of the attempt, counted from 1: the member's work was sent back before each later one. */
  attempt: number;
  /** True where the person has said that it may land. */
  approved: boolean;
  /** Why it waits, failed or was discarded; null where there is nothing to say. */
  reason: string | null;
  /** The commit of the target that it was merged with; null before that. */
  onto: CommitId | null;
  /** The commit that the check is about, and that the target is moved to; null before that. */
  merge_commit: CommitId | null;
  /** The files in conflict; empty in other states. */
  files: string[];
  /** The check that it has not passed; null where there is none. */
  check: LandingCheck | null;
  /** The landing that has replaced it; null where none has. */
  replaced_by: LandingId | null;
  /** When it was taken: ISO 8601, in UTC. */
  created_at: string;
  /** When it was last changed: ISO 8601, in UTC. */
  updated_at: string;
  /** The number of its changes, counted from 1. */
  version: number;
}
export const Landing = z.object({
  id: LandingId,
  member: MemberName,
  ref: z.string().min(1),
  commit: CommitId,
  base: CommitId,
  target: z.string().min(1),
  state: LandingState,
  attempt: z.int().positive(),
  approved: z.boolean(),
  reason: z.string().nullable(),
  onto: CommitId.nullable(),
  merge_commit: CommitId.nullable(),
  files: z.array(z.string()),
  check: LandingCheck.nullable(),
  replaced_by: LandingId.nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  version: z.int().positive(),
}) satisfies z.ZodType<Landing>;

/** True for work that is not in its target, and that nobody has discarded. */
export function isUnlanded({ state }: Pick<Landing, "state">): boolean {
  return ["taken", "merged", "conflict", "rejected", "failed"].includes(state);
}

/** True for work that goes on by itself: nobody has to decide anything. */
export function isOnItsWay({
  state,
  reason,
  approved,
}: Pick<Landing, "state" | "reason" | "approved">): boolean {
  return state === "merged" || (state === "taken" && (reason === null || approved));
}

/** Why work waits for which the person is not asked. */
export const landingIsOff = "Automatic landing is off";

/** Why work waits that the person lets land each time. */
export const landingIsAsked = "It waits for your decision";

/** A reason that says more than that it waits for the person. */
export function tellingReason(reason: string | null | undefined): string | undefined {
  return reason === landingIsOff || reason === landingIsAsked ? undefined : (reason ?? undefined);
}
