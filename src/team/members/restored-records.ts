import { randomUUID } from "node:crypto";
import type { Member, TeamRecord } from "../../protocol/team.ts";
import type { TeamStore } from "../team-store.ts";
import { confine, isCharterSigned } from "./charter.ts";
import type { Departure } from "./departures.ts";

export interface RestoredRecords {
  alive: Member[];
  /** Those whose end was interrupted. */
  ending: (Member & { ending: Departure })[];
}

/**
 * Who is to go on at a start. A record that decides something which troupe did not write, as far as
 * its key can tell, permits nothing: the member goes on, and must ask for everything. With a key that
 * is new, one that nobody has signed is believed; one that another key has signed is not.
 */
export function restoredRecords(
  { members }: TeamRecord,
  { signature, isKeyNew }: Pick<TeamStore, "signature" | "isKeyNew">,
  onWarning: (message: string) => void,
): RestoredRecords {
  const restored: RestoredRecords = { alive: [], ending: [] };
  for (const member of members) {
    const isUnsigned = isKeyNew && member.sig === undefined;
    const isTrusted = isUnsigned || isCharterSigned(member, signature);
    if (!isTrusted) {
      onWarning(
        `The roster's record of '${member.name}' is not what troupe wrote. It goes on in the mode 'default' and needs an approved plan; spawn it again to change that.`,
      );
      restored.alive.push({
        ...confine(member),
        status: revived(member),
        // Not the one that the record claims: of whom something was asked, and maybe agreed to.
        incarnation: randomUUID(),
      });
    } else if (member.status !== "shutdown") restored.alive.push(member);
    else if (member.ending) restored.ending.push({ ...member, ending: member.ending });
  }
  return restored;
}

/** Nobody is ended by an edit of a file. */
function revived({ status }: Member): Member["status"] {
  return status === "shutdown" ? "idle" : status;
}
