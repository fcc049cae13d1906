import type { CommitId, LandingId, MemberName } from "../protocol/ids.ts";
import type { Landing, LandingCheck } from "../protocol/landing.ts";

/**
 * The work of a team's members on its way to the target. Any process may look; the one that runs
 * the team changes it, each time before what the change is about is done.
 *
 * Every backend promises, and src/testing/conformance/landings.ts checks, that:
 * - once a change resolves it survives a crash, and it has raised the landing's `version` by one;
 * - a change is refused with `landing-changed` unless the landing still has the version that it names,
 *   and with `landing-refused` where its state does not permit it; then nothing has changed;
 * - a commit of a member is taken once: to take it again returns the landing there is, as it is;
 * - what troupe did not write is no landing, and cannot change one;
 * - no landing disappears, and no id is used twice.
 */
export interface Landings {
  /** Adds a landing at the end of the queue, or returns the one that has this commit of the member. */
  take(draft: LandingDraft): Promise<Landing>;
  /** Throws `landing-unknown` where there is none. */
  get(id: LandingId): Promise<Landing>;
  /** In the order of the queue: oldest first. */
  list(): Promise<Landing[]>;
  /** Changes a landing that is still as the caller has it, and returns the new version. */
  move(landing: Pick<Landing, "id" | "version">, move: LandingMove): Promise<Landing>;
  /**
   * Calls `listener` after each change through this object: no other process makes any. One that
   * throws breaks no change. Returns how to stop it.
   */
  onChange(listener: (landing: Landing) => void): () => void;
}

/** A landing before it has an id and a time. */
export interface LandingDraft {
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
  /** The number of the attempt (default: 1). */
  attempt?: number | undefined;
  /** True where the person has said that it may land (default: false). */
  approved?: boolean | undefined;
  /** Why it has to wait (default: it does not). */
  reason?: string | undefined;
}

/** What becomes of a landing. Its `state` is the one that it moves to. */
export type LandingMove =
  | TakenMove
  | MergedMove
  | LandedMove
  | ConflictMove
  | RejectedMove
  | FailedMove
  | ReplacedMove
  | DiscardedMove;

/** It is in the queue, from the beginning. */
export interface TakenMove {
  /** The state that it moves to. */
  state: "taken";
  /** Why it has to wait (default: it does not). */
  reason?: string | undefined;
  /** True where the person has said that it may land (default: as before). */
  approved?: boolean | undefined;
}

/** It is merged with a commit of the target. */
export interface MergedMove {
  /** The state that it moves to. */
  state: "merged";
  /** The commit of the target. */
  onto: CommitId;
  /** The commit that the target is to be moved to. */
  merge_commit: CommitId;
}

/** The target has it. */
export interface LandedMove {
  /** The state that it moves to. */
  state: "landed";
}

/** It cannot be merged with a commit of the target. */
export interface ConflictMove {
  /** The state that it moves to. */
  state: "conflict";
  /** The commit of the target. */
  onto: CommitId;
  /** The files in conflict. */
  files: readonly string[];
}

/** It has not passed the check. */
export interface RejectedMove {
  /** The state that it moves to. */
  state: "rejected";
  /** The check. */
  check: LandingCheck;
}

/** It is given up. */
export interface FailedMove {
  /** The state that it moves to. */
  state: "failed";
  /** Why. */
  reason: string;
}

/** A later landing of its member has its work, too. */
export interface ReplacedMove {
  /** The state that it moves to. */
  state: "replaced";
  /** That landing. */
  by: LandingId;
}

/** The person does not want it. */
export interface DiscardedMove {
  /** The state that it moves to. */
  state: "discarded";
  /** Why (default: nothing is said). */
  reason?: string | undefined;
}
