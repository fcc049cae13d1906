import { TeamError } from "../errors.ts";
import type { FilePath } from "../lib/file-path.ts";
import type { TeamRecord } from "../protocol/team.ts";
import { lastGoodFile, readTeamFile } from "../roster/team-file.ts";
import type { TeamPlace } from "./team-place.ts";

/** The roster, or the last good one while somebody has made nonsense of it. */
export async function readTeam(
  directory: FilePath,
  { onWarning }: Pick<TeamPlace, "onWarning">,
): Promise<TeamRecord | undefined> {
  try {
    return (await readTeamFile(directory))?.team;
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "config-invalid") throw error;
    const lastGood = await readTeamFile(directory, lastGoodFile);
    if (!lastGood) throw error;
    onWarning(`${error.message}. The last good roster is shown.`);
    return lastGood.team;
  }
}
