import { TeamError } from "../errors.ts";
import { hmacSignature, type Signature } from "../keys/signature.ts";
import { loadTeamKey, teamKeyPath } from "../keys/team-key.ts";
import { isProven } from "../keys/team-proof.ts";
import type { FilePath } from "../lib/file-path.ts";
import type { TeamId } from "../protocol/ids.ts";
import type { TeamRecord } from "../protocol/team.ts";
import { lastGoodFile, readTeamFile, rosterFile } from "../roster/team-file.ts";
import type { TeamPlace } from "./team-place.ts";

/** The owner of the team in a directory. */
export type Ownership =
  | { type: "none" }
  | { type: "own"; teamId: TeamId; signature: Signature }
  /** Somebody else's, or nobody can tell: nothing in it counts until the person takes it over. */
  | { type: "foreign"; team: TeamRecord; reason: string };

/**
 * Finds the owner of a team directory, and changes nothing. A team is the person's where one of its
 * rosters was signed with a key that is in the person's own state directory: anybody can write a
 * roster, and a repository can bring one.
 */
export async function findOwnership(
  directory: FilePath,
  place: Pick<TeamPlace, "keyPlace">,
): Promise<Ownership> {
  let foreign: Ownership = { type: "none" };
  for (const team of await readRosters(directory)) {
    const { signature, reason } = await findSignature(team, place);
    if (signature) return { type: "own", teamId: team.team_id, signature };
    if (foreign.type === "none") foreign = { type: "foreign", team, reason };
  }
  return foreign;
}

interface FoundSignature {
  /** Undefined where the team is not the person's, for `reason`. */
  signature?: Signature;
  reason: string;
  /** The path of a key that does not exist. */
  missing?: string;
}

/** The signature with which a team was proven, where the person has its key. */
export async function findSignature(
  team: TeamRecord,
  { keyPlace }: Pick<TeamPlace, "keyPlace">,
): Promise<FoundSignature> {
  const path = teamKeyPath({ teamId: team.team_id, ...keyPlace });
  const key = await loadTeamKey({ path });
  if (!key) return { reason: `its key ${path} is not on this machine`, missing: path };
  const signature = hmacSignature(key);
  if (isProven(team, signature)) return { signature, reason: "" };
  return { reason: "it is not signed with its key" };
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

/** The facts that a person should know before taking a team over. */
function describeForeign({ members }: TeamRecord): string {
  if (members.length === 0) return "It has no teammates.";
  const names = members.map(({ name, role, model }) => {
    const details = [role, model].filter(Boolean).join(", ");
    return details ? `${name} (${details})` : name;
  });
  return `Its teammates: ${names.join("; ")}.`;
}

/** The roster, and the last good one. An invalid one is left out: opening the roster reports it. */
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
