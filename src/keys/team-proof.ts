import type { TeamId } from "../protocol/ids.ts";
import type { TeamRecord } from "../protocol/team.ts";
import type { Signature } from "./signature.ts";

/** The roster with the proof that the owner of this key created the team. */
export function proveTeam(team: TeamRecord, signature: Signature): TeamRecord {
  return { ...team, sig: signature.sign(proofText(team.team_id)) };
}

/** True if the roster was created, or taken over, with this key. */
export function isProven({ team_id, sig }: TeamRecord, signature: Signature): boolean {
  return sig !== undefined && signature.verify(proofText(team_id), sig);
}

function proofText(teamId: TeamId): string {
  return `team ${teamId}`;
}
