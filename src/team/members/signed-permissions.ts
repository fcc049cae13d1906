import type { Signature } from "../../keys/signature.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import type { TeamPermissions, TeamRecord } from "../../protocol/team.ts";

type Unsigned = Omit<TeamPermissions, "sig">;
type SignedTeam = Pick<TeamRecord, "team_id" | "permissions">;

/** What the person decided for the whole team, as far as troupe wrote it. */
export function permissionsOf(team: SignedTeam, signature: Signature): Unsigned {
  const { permissions } = team;
  if (!permissions || !isSigned(team, signature)) return { rules: [] };
  const { sig: _, ...decided } = permissions;
  return decided;
}

export function signPermissions(
  permissions: Unsigned,
  { team_id }: SignedTeam,
  signature: Signature,
): TeamPermissions {
  return { ...permissions, sig: signature.sign(signedText(permissions, team_id)) };
}

/**
 * `team` with the permissions that `known` has. Without any there, those of `team` count where troupe
 * signed them: no line in a file may permit anything.
 */
export function withSignedPermissions(
  team: TeamRecord,
  known: TeamRecord | undefined,
  { signature, onWarning }: { signature: Signature; onWarning(message: string): void },
): TeamRecord {
  const before = known && isSigned(known, signature) ? known.permissions : undefined;
  if (canonicalJson(before ?? null) === canonicalJson(team.permissions ?? null)) return team;
  if (!before && isSigned(team, signature)) return team;
  onWarning(
    "The rules in the roster were not written by troupe, and do not count. Change them with the team's own commands.",
  );
  const { permissions: _, ...rest } = team;
  return before ? { ...team, permissions: before } : rest;
}

function isSigned({ team_id, permissions }: SignedTeam, signature: Signature): boolean {
  if (!permissions) return false;
  const { sig, ...decided } = permissions;
  return signature.verify(signedText(decided, team_id), sig);
}

function signedText({ rules, mode, ...others }: Unsigned, teamId: string): string {
  const { mode_in_force, model, effort } = others;
  // Left out, as JSON does, where they are undefined: such teams are signed as they always were.
  const optional = { mode_in_force, model, effort };
  return canonicalJson({ permissions_of: teamId, rules, mode: mode ?? null, ...optional });
}
