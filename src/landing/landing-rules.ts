import { TeamError } from "../errors.ts";
import type { LandingId } from "../protocol/ids.ts";
import type { Landing, LandingState } from "../protocol/landing.ts";
import type { LandingDraft, LandingMove } from "./landings.ts";

/** Where a landing can go from each state. */
const next: Readonly<Record<LandingState, readonly LandingState[]>> = {
  taken: ["taken", "merged", "landed", "conflict", "failed", "replaced", "discarded"],
  // The target may have moved since, so that it is merged again, and otherwise.
  merged: [
    ...(["taken", "merged", "landed", "conflict", "rejected", "failed"] as const),
    ...(["replaced", "discarded"] as const),
  ],
  conflict: ["taken", "failed", "replaced", "discarded"],
  rejected: ["taken", "failed", "replaced", "discarded"],
  failed: ["taken", "replaced", "discarded"],
  discarded: ["taken"],
  landed: [],
  replaced: [],
};

/** True where its state is final. */
export function isOver({ state }: Pick<Landing, "state">): boolean {
  return next[state].length === 0;
}

export function newLanding(draft: LandingDraft, { id, at }: { id: LandingId; at: Date }): Landing {
  const { member, ref, commit, base, target, attempt = 1, approved = false, reason = null } = draft;
  const time = at.toISOString();
  return {
    ...{
      id,
      member,
      ref,
      commit,
      base,
      target,
      state: "taken" as const,
      attempt,
      approved,
      reason,
    },
    ...{ ...unmerged(), replaced_by: null },
    ...{ created_at: time, updated_at: time, version: 1 },
  };
}

/** The next version of a landing. Throws `landing-refused` where its state does not permit that. */
export function moveLanding(landing: Landing, move: LandingMove, at: Date): Landing {
  const { id, state, version } = landing;
  if (!next[state].includes(move.state)) {
    throw new TeamError(
      "landing-refused",
      `Landing ${id} is ${state}, and cannot become ${move.state}`,
      { hint: isOver(landing) ? "That state is final." : "Look at it again: troupe changes." },
    );
  }
  const changed = { state: move.state, updated_at: at.toISOString(), version: version + 1 };
  return { ...landing, ...effectOf(landing, move), ...changed };
}

/** The fields that a move changes beside the state. */
function effectOf(landing: Landing, move: LandingMove): Partial<Landing> {
  switch (move.state) {
    case "taken": {
      const { reason = null, approved = landing.approved } = move;
      return { ...unmerged(), reason, approved };
    }
    case "merged":
      return { ...unmerged(), reason: null, onto: move.onto, merge_commit: move.merge_commit };
    case "landed":
      return { reason: null };
    case "conflict":
      return { ...unmerged(), reason: null, onto: move.onto, files: [...move.files] };
    case "rejected":
      return { reason: null, check: move.check };
    case "failed":
      return { reason: move.reason };
    case "replaced":
      return { replaced_by: move.by };
    case "discarded":
      return { reason: move.reason ?? null };
  }
}

/** Nothing of an earlier merge. */
function unmerged(): Pick<Landing, "onto" | "merge_commit" | "files" | "check"> {
  return { onto: null, merge_commit: null, files: [], check: null };
}

export function unknownLanding(id: LandingId, known: readonly Landing[]): TeamError {
  const ids = known.slice(-maxShown).map((landing) => landing.id);
  return new TeamError("landing-unknown", `There is no landing ${id}`, {
    hint: ids.length > 0 ? `Landings: ${ids.join(", ")}.` : "Nothing has been handed in to land.",
  });
}

const maxShown = 20;
