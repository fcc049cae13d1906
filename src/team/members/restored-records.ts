import type { Member, TeamRecord } from "../../protocol/team.ts";
import type { Departure } from "./departures.ts";

export interface RestoredRecords {
  alive: Member[];
  /** Those whose end was interrupted. */
  ending: (Member & { ending: Departure })[];
}

/** Who is to go on at a start. The store vouches for the records. */
export function restoredRecords({ members }: TeamRecord): RestoredRecords {
  const restored: RestoredRecords = { alive: [], ending: [] };
  for (const member of members) {
    if (member.status !== "shutdown") restored.alive.push(member);
    else if (member.ending) restored.ending.push({ ...member, ending: member.ending });
  }
  return restored;
}
