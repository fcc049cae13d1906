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
    throw new TeamError("member-unknown", `There is no member '${recipient}'`, {
      hint: `Members: ${aliveMembers(team).join(", ")}.`,
    });
  }
  if (member.status === "shutdown") {
    throw new TeamError("member-ended", `'${recipient}' is shut down and reads no more mail`, {
      hint: `Members: ${aliveMembers(team).join(", ")}.`,
    });
  }
  return recipient;
}

/** A member by the name a person typed; it may have ended. */
export function findMember(team: TeamRecord, name: string): MemberName {
  const member = parseMemberName(name);
  const names = memberNames(team);
  if (names.includes(member)) return member;
  throw new TeamError("member-unknown", `There is no member '${member}'`, {
    hint: `Members: ${names.join(", ")}.`,
  });
}

/** The lead and all present and former teammates. */
export function memberNames({ lead, members }: TeamRecord): MemberName[] {
  return [lead, ...members.map(({ name }) => name)];
}

/** The lead and all teammates that have not ended. */
export function aliveMembers(team: TeamRecord): MemberName[] {
  return memberNames(team).filter((name) => !hasEnded(team, name));
}

export function hasEnded({ members }: TeamRecord, member: MemberName): boolean {
  return members.some(({ name, status }) => name === member && status === "shutdown");
}
