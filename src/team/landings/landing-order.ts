import { TeamError } from "../../errors.ts";
import { isOver, unknownLanding } from "../../landing/landing-rules.ts";
import type { CommitId, LandingId } from "../../protocol/ids.ts";
import { user } from "../../protocol/ids.ts";
import type { Landing } from "../../protocol/landing.ts";
import type { MessageDraft } from "../../protocol/message.ts";

/** What the person decides on a landing. */
export interface LandingDecision {
  /** The landing. */
  id: LandingId;
  /** The commit that the person has seen. Another one is not what was decided on. */
  commit: CommitId;
  /** Whether it may land. */
  decision: "land" | "discard";
  /** Why it is discarded. */
  reason?: string | undefined;
}

/**
 * The order that takes the person's decision to the process that runs the team. Throws `landing-unknown`,
 * `landing-changed` where the landing has another commit, and `landing-refused` where its state is
 * final.
 */
export function landingOrder(
  { id, commit, decision, reason }: LandingDecision,
  landings: readonly Landing[],
): MessageDraft {
  const landing = landings.find((each) => each.id === id);
  if (!landing) throw unknownLanding(id, landings);
  if (landing.commit !== commit) throw otherCommit(id);
  if (isOver(landing)) {
    throw new TeamError("landing-refused", `Landing ${id} is ${landing.state}`, {
      hint:
        landing.state === "landed"
          ? `It is on ${landing.target}. troupe land brings that to you.`
          : `Landing ${landing.replaced_by} contains its work now: see troupe changes.`,
    });
  }
  const why = reason === undefined ? {} : { reason };
  return { type: "landing_decision", from: user, landing_id: id, commit, decision, ...why };
}

/** A decision about a commit that is not the one to be landed. */
export function otherCommit(id: LandingId): TeamError {
  return new TeamError(
    "landing-changed",
    `Landing ${id} has another commit than the one that was decided on`,
    {
      hint: "Look at it again: troupe changes.",
    },
  );
}
