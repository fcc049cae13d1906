import { lead, newTeamId } from "../protocol/ids.ts";
import { storeFormat, type TeamRecord } from "../protocol/team.ts";

/** The roster of a team on its first day. */
export function newTeam(now: Date): TeamRecord {
  return {
    team_name: "default",
    team_id: newTeamId(now),
    lead,
    members: [],
    format: storeFormat,
  };
}
