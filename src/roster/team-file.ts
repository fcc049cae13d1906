import { z } from "zod";
import { hasErrno, TeamError } from "../errors.ts";
import { type FilePath, within } from "../lib/file-path.ts";
import { readTextIfExists } from "../lib/files.ts";
import { parseJson } from "../lib/json.ts";
import { lead, newTeamId } from "../protocol/ids.ts";
import { storeFormat, TeamRecord } from "../protocol/team.ts";

export const rosterFile = "config.json";

/** The roster as it was last written or read, for the case of an invalid edit of `config.json`. */
export const lastGoodFile = "config.last-good.json";

/** The roster of a new team. */
export function newTeam(now: Date): TeamRecord {
  return { team_name: "default", team_id: newTeamId(now), lead, members: [], format: storeFormat };
}

/** Reads the roster, or the last good one where an edit of it is invalid. */
export async function readTeam(
  directory: FilePath,
  onWarning: (message: string) => void,
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

/** Reads the roster of a team directory; undefined where there is none. */
export async function readTeamFile(
  directory: FilePath,
  name: string = rosterFile,
): Promise<{ team: TeamRecord; text: string } | undefined> {
  const path = within(directory, name);
  const text = await readRosterText(directory, path);
  return text === undefined ? undefined : { team: parseTeam(text, String(path)), text };
}

async function readRosterText(directory: FilePath, path: FilePath): Promise<string | undefined> {
  try {
    return await readTextIfExists(path);
  } catch (error) {
    if (error instanceof TeamError && error.code === "record-corrupt") throw asInvalid(error);
    if (hasErrno(error, "EISDIR")) {
      throw new TeamError("config-invalid", `${path} is a directory, where a file should be`, {
        cause: error,
        hint: "Move it away.",
      });
    }
    if (!hasErrno(error, "ENOTDIR")) throw error;
    throw new TeamError("team-unusable", `${directory} is a file, not a team's directory`, {
      cause: error,
      hint: "Move it away, or choose another directory with --team-dir.",
    });
  }
}

const AnyFormat = z.looseObject({ format: z.number().optional() });

export function parseTeam(text: string, path: string): TeamRecord {
  try {
    refuseNewer(parseJson(text, AnyFormat, path).format ?? storeFormat, path);
    return parseJson(text, TeamRecord, path);
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "record-corrupt") throw error;
    throw asInvalid(error);
  }
}

function asInvalid(error: TeamError): TeamError {
  return new TeamError("config-invalid", error.message, {
    cause: error,
    hint: "Correct it, or move it away.",
  });
}

function refuseNewer(format: number, path: string): void {
  if (format <= storeFormat) return;
  throw new TeamError(
    "format-newer",
    `${path} has format ${format}; this version of troupe reads formats up to ${storeFormat}`,
    { hint: "Upgrade troupe, or choose another directory with --team-dir." },
  );
}

export function formatTeam(team: TeamRecord): string {
  return `${JSON.stringify(team, null, 2)}\n`;
}
