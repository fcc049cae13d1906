import type { Signature } from "../../keys/signature.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import type { MemberRecord, TeamRecord } from "../../protocol/team.ts";
import { withOwn } from "./inherited-fields.ts";

/** What a member has from its role. */
export const roleFields = [
  "disallowed_tools",
  "agent",
  "own_rules",
  "asks_nobody",
  "max_turns",
  "max_cost",
  "network",
  "skills",
  "hooks",
  "mcp_servers",
] as const satisfies readonly (keyof MemberRecord)[];

/** The fields of a record that decide a member's identity, permissions and whether it has ended. */
export const signedFields = [
  "role",
  "model",
  "effort",
  "root",
  "cwd",
  "checkout",
  "status",
  "permission_mode",
  "sandbox",
  "inherits",
  "plan_required",
  "plan_request",
  "tools",
  "instructions",
  ...roleFields,
  "spawned_at",
  "alive_since",
  "incarnation",
  "ending",
] as const satisfies readonly (keyof MemberRecord)[];

/**
 * Signs a member's record, as far as it decides something: anybody may edit the roster's file, and
 * no line in a file may permit anything.
 */
export function signMember(member: MemberRecord, signature: Signature): MemberRecord {
  return { ...member, sig: signature.sign(signedText(member)) };
}

export function isMemberSigned(member: MemberRecord, signature: Signature): boolean {
  return member.sig !== undefined && signature.verify(signedText(member), member.sig);
}

/** `edited` with everything that decides something as it is in `known`. */
export function restoreSignedFields(edited: MemberRecord, known: MemberRecord): MemberRecord {
  const member: MemberRecord = { ...edited };
  for (const field of [...signedFields, "sig" as const]) {
    delete member[field];
    if (known[field] !== undefined) Object.assign(member, { [field]: known[field] });
  }
  return member;
}

/** True where everything that decides something is in `edited` as it is in `known`. */
function hasSignedFieldsOf(edited: MemberRecord, known: MemberRecord): boolean {
  const fieldsOf = (member: MemberRecord) =>
    canonicalJson([...signedFields, "sig" as const].map((field) => member[field] ?? null));
  return fieldsOf(edited) === fieldsOf(known);
}

/**
 * The member as it may continue in a team that was taken over: it must ask for everything, and nothing of its
 * role runs or reaches more than another member's does.
 */
export function confine({ network, hooks, mcp_servers, ...member }: MemberRecord): MemberRecord {
  return { ...withOwn(member, { permission_mode: "default" }), plan_required: true };
}

/**
 * `team` with only those members that troupe wrote, each as it was in `known`, where that has it. What
 * somebody edited into a record counts as far as it decides nothing.
 */
export function withSignedMembers(
  team: TeamRecord,
  known: TeamRecord | undefined,
  { signature, onWarning }: { signature: Signature; onWarning(message: string): void },
): TeamRecord {
  const signed = new Map(
    known?.members
      .filter((member) => isMemberSigned(member, signature))
      .map((member) => [member.name, member]),
  );
  const members = team.members.flatMap((member) => {
    const before = signed.get(member.name);
    const isSigned = isMemberSigned(member, signature);
    if (!isSigned) onWarning(unsignedRecord(member, before !== undefined));
    if (before)
      return [hasSignedFieldsOf(member, before) ? member : restoreSignedFields(member, before)];
    return isSigned ? [member] : [];
  });
  return { ...team, members: [...members, ...renamed(team, { signed, signature })] };
}

/**
 * The known members that are not in `team` although it has a record of a name that nobody knows: a
 * record of theirs with a damaged name. Whom a person has taken out, and put nobody in for, is out.
 */
function renamed(
  team: TeamRecord,
  { signed, signature }: { signed: ReadonlyMap<string, MemberRecord>; signature: Signature },
): MemberRecord[] {
  const names = team.members.map(({ name }) => name);
  const hasStranger = team.members.some(
    (member) => !signed.has(member.name) && !isMemberSigned(member, signature),
  );
  if (!hasStranger) return [];
  return [...signed.values()].filter(({ name }) => !names.includes(name));
}

function unsignedRecord({ name }: MemberRecord, isKnown: boolean): string {
  const problem = `The roster's record of '${name}' was not written by troupe`;
  return isKnown
    ? `${problem}. It continues as before; spawn it again to change it.`
    : `${problem}, and was removed. Its transcript and mail are kept for the next member of that name.`;
}

/** Whether it works or is idle decides nothing, and changes all the time. */
function signedText({ name, ...member }: MemberRecord): string {
  const { root, checkout, inherits, effort, instructions, sandbox, alive_since, status } = member;
  const ofRole = Object.fromEntries(roleFields.map((field) => [field, member[field]]));
  const own = { root, checkout, inherits, instructions, effort, sandbox, alive_since };
  const optional = { ...own, ...ofRole };
  const others = [...Object.keys(optional), "status", "ending"];
  const fields = signedFields.filter((field) => !others.includes(field));
  return canonicalJson({
    name,
    has_ended: status === "shutdown",
    // Left out, as JSON does, where they are undefined: such members are signed as they always were.
    ...optional,
    ...Object.fromEntries(fields.map((field) => [field, member[field] ?? null])),
  });
}
