import type { MemberRecord } from "./team.ts";

/** What a member is, for a person and for others: in its own words, and by the name of its role file. */
export function roleText({ role, agent }: Pick<MemberRecord, "role" | "agent">): string {
  return agent && agent.name !== role ? `${role}, by ${agent.name}` : role;
}
