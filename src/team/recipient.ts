import { TeamError } from "../errors.ts";
import { type MemberName, parseMemberName } from "../protocol/ids.ts";
import type { TeamRecord } from "../protocol/team.ts";

/**
 * The member that mail to `name` reaches. Nobody else has a mailbox: an unknown or ended recipient
 * is refused, with the members there are.
 */
export function findRecipient(team: TeamRecord, name: string): MemberName {
  const recipient = parseMemberName(name);
  if (recipient === team.lead) return recipient;
  const member = team.members.find((candidate) => candidate.name === recipient);
  if (!member) {
    throw new TeamError("member-unknown", `Nobody here is named '${recipient}'`, {
      hint: `Members: ${reachable(team)}.`,
    });
  }
  if (member.status === "shutdown") {
    throw new TeamError("member-ended", `'${recipient}' is shut down and reads no mail any more`, {
      hint: `Members: ${reachable(team)}.`,
    });
  }
  return recipient;
}

function reachable({ lead, members }: TeamRecord): string {
  const alive = members.filter(({ status }) => status !== "shutdown");
  return [lead, ...alive.map(({ name }) => name)].join(", ");
}
