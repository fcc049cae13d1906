import { TeamError } from "../errors.ts";
import { hmacSignature, type Signature } from "../keys/signature.ts";
import { loadTeamKey, teamKeyPath } from "../keys/team-key.ts";
import { isProven } from "../keys/team-proof.ts";
import type { FilePath } from "../lib/file-path.ts";
import type { TeamId } from "../protocol/ids.ts";
import type { TeamRecord } from "../protocol/team.ts";
import { lastGoodFile, readTeamFile, rosterFile } from "../roster/team-file.ts";
import type { TeamPlace } from "./team-place.ts";

/** Whose the team in a directory is. */
export type Ownership =
  | { type: "none" }
  | { type: "own"; teamId: TeamId; signature: Signature }
  /** Somebody else's, or nobody can tell: nothing in it counts until the person takes it over. */
  | { type: "foreign"; team: TeamRecord; reason: string };

/**
 * Finds out whose a team directory is, and changes nothing. It is the person's where one of the two
 * rosters was signed with a key that lies in the person's own state directory: anybody can write a
 * roster, and a repository can bring one.
 */
export async function findOwnership(
  directory: FilePath,
  place: Pick<TeamPlace, "keyPlace">,
): Promise<Ownership> {
  const rosters = await readRosters(directory);
  let foreign: Ownership = { type: "none" };
  for (const team of rosters) {
    const { team_id: teamId } = team;
    const path = teamKeyPath({ teamId, ...place.keyPlace });
    const key = await loadTeamKey({ path });
    const signature = key && hmacSignature(key);
    if (signature && isProven(team, signature)) return { type: "own", teamId, signature };
    const reason = key ? notSigned : missingKey(path);
    if (foreign.type === "none") foreign = { type: "foreign", team, reason };
  }
  return foreign;
}

/** Why a team is not the person's, as far as can be told. */
export const notSigned = "it is not signed with its key";

export function missingKey(path: string): string {
  return `its key ${path} is not on this machine`;
}

/** The refusal to run a team that is not the person's. */
export function foreignTeam(
  directory: string,
  { team, reason }: Omit<ForeignTeam, "type">,
): TeamError {
  return new TeamError(
    "team-foreign",
    `The team in ${directory} is not yours: ${reason}. ${describeForeign(team)} Nothing of it was started`,
    {
      hint: "`--fresh` archives it and starts a new team. `--take-over` makes it yours: its texts are kept as history, and none of its calls are run.",
    },
  );
}

export type ForeignTeam = Extract<Ownership, { type: "foreign" }>;

/** What a person should know before taking a team over. */
function describeForeign({ members }: TeamRecord): string {
  if (members.length === 0) return "It has no teammates.";
  const names = members.map(({ name, role, model }) => {
    const details = [role, model].filter(Boolean).join(", ");
    return details ? `${name} (${details})` : name;
  });
  return `Its teammates: ${names.join("; ")}.`;
}

/** The roster, and the last good one; what is no roster is left out, for the roster itself to tell. */
async function readRosters(directory: FilePath): Promise<TeamRecord[]> {
  const rosters: TeamRecord[] = [];
  for (const name of [rosterFile, lastGoodFile]) {
    try {
      const found = await readTeamFile(directory, name);
      if (found) rosters.push(found.team);
    } catch (error) {
      if (!(error instanceof TeamError) || error.code !== "config-invalid") throw error;
    }
  }
  return rosters;
}
