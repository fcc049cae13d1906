import type { Signature } from "../../keys/signature.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import type { Member } from "../../protocol/team.ts";

/** What of a member's record decides what it may do, and whether it is there at all. */
const charterFields = [
  "status",
  "permission_mode",
  "plan_required",
  "plan_request",
  "tools",
  "spawned_at",
  "incarnation",
  "ending",
] as const satisfies readonly (keyof Member)[];

/**
 * Signs a member's record, as far as it decides something: anybody may edit the roster's file, and
 * no line in a file may permit anything.
 */
export function signCharter(member: Member, signature: Signature): Member {
  return { ...member, sig: signature.sign(charterText(member)) };
}

export function isCharterSigned(member: Member, signature: Signature): boolean {
  return member.sig !== undefined && signature.verify(charterText(member), member.sig);
}

/** `edited` with everything that decides something as it is in `known`. */
export function withCharter(edited: Member, known: Member): Member {
  const member: Member = { ...edited };
  for (const field of charterFields) {
    delete member[field];
    if (known[field] !== undefined) Object.assign(member, { [field]: known[field] });
  }
  return member;
}

/** True where everything that decides something is in `edited` as it is in `known`. */
export function hasCharterOf(edited: Member, known: Member): boolean {
  const charter = (member: Member) =>
    canonicalJson([...charterFields, "sig" as const].map((field) => member[field] ?? null));
  return charter(edited) === charter(known);
}

/** The member as it may go on when its charter is not what troupe wrote: it must ask for everything. */
export function confine(member: Member): Member {
  return { ...member, permission_mode: "default", plan_required: true };
}

/** Whether it works or is idle decides nothing, and changes all the time. */
function charterText({ name, ...member }: Member): string {
  const fields = charterFields.filter((field) => field !== "status" && field !== "ending");
  return canonicalJson({
    name,
    has_ended: member.status === "shutdown",
    ...Object.fromEntries(fields.map((field) => [field, member[field] ?? null])),
  });
}
