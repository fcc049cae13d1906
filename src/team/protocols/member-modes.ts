import { TeamError } from "../../errors.ts";
import type { Signature } from "../../keys/signature.ts";
import { isWiderMode, narrowerMode } from "../../permissions/modes.ts";
import { type MemberName, user } from "../../protocol/ids.ts";
import type { MessageDraft, PermissionMode } from "../../protocol/message.ts";
import type { MemberRecord, TeamPermissions, TeamRecord } from "../../protocol/team.ts";
import { followsLead, ownModeLimit } from "../members/inherited-fields.ts";
import { isMemberSigned } from "../members/signed-fields.ts";
import { permissionsOf } from "../members/signed-permissions.ts";

/** The permission mode of a member. */
export interface MemberMode {
  /** The name of the member. */
  member: MemberName;
  /** The mode in force: a teammate's own one, where that is not wider than the lead's. */
  mode: PermissionMode;
  /** True for a teammate whose mode changes with the lead's. */
  followsLead: boolean;
}

/** The mode of a lead for which no other is recorded. */
const usual: PermissionMode = "default";

export function modeInForce({ mode_in_force }: Pick<TeamPermissions, "mode_in_force">) {
  return mode_in_force ?? usual;
}

/** The mode of each living member as it is stored, the lead first, as far as troupe wrote it. */
export function storedModes(team: TeamRecord, signature: Signature): MemberMode[] {
  const leads = modeInForce(permissionsOf(team, signature));
  const known = team.members.filter(
    (record) => record.status !== "shutdown" && isMemberSigned(record, signature),
  );
  const teammates = known.map((record) => modeOf(record, leads));
  return [{ member: team.lead, mode: leads, followsLead: false }, ...teammates];
}

function modeOf(record: MemberRecord, leads: PermissionMode): MemberMode {
  return {
    member: record.name,
    mode: narrowerMode(ownModeLimit(record), leads),
    followsLead: followsLead(record, "permission_mode"),
  };
}

/** The person's order to change a member's mode. Throws where it would be wider than the lead's. */
export function modeMessage(
  name: string,
  mode: PermissionMode,
  [leads]: readonly MemberMode[],
): MessageDraft {
  if (leads) requireNotWider(name, mode, leads.mode);
  return { type: "mode_set_request", from: user, mode };
}

export function requireNotWider(name: string, mode: PermissionMode, widest: PermissionMode): void {
  if (!isWiderMode(mode, widest)) return;
  throw new TeamError(
    "config-invalid",
    `'${name}' cannot have the mode '${mode}': it is wider than the lead's`,
    { hint: `The lead's mode is '${widest}'.` },
  );
}
