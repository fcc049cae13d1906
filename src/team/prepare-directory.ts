import { hasErrno, TeamError } from "../errors.ts";
import { createFileOnce, ensurePrivateDirectory, removeTemporaries } from "../lib/files.ts";
import { readTeamFile } from "../roster/team-file.ts";
import type { TeamLayout } from "./team-layout.ts";

/** Makes a team's directories, unless the place is a file, cannot be written, or is too new. */
export async function prepareDirectory(layout: TeamLayout): Promise<void> {
  await refuseNewer(layout.directory);
  await makeDirectories(layout);
}

/** Makes those of a team's directories that are missing. */
export async function makeDirectories(layout: TeamLayout): Promise<void> {
  try {
    for (const path of directories(layout)) await ensurePrivateDirectory(path);
    await createFileOnce(layout.gitignore, "*\n");
  } catch (error) {
    throw asUnusable(error, layout.directory);
  }
}

/** Removes what a lead left that died. Only for its successor: a living one is about to use it. */
export async function removeLeftovers(layout: TeamLayout): Promise<void> {
  for (const path of directories(layout)) await removeTemporaries(path);
}

function directories({ directory, inbox, transcripts }: TeamLayout): string[] {
  return [directory, inbox, transcripts];
}

/** What a newer troupe keeps there is not ours to change. */
async function refuseNewer(directory: string): Promise<void> {
  try {
    await readTeamFile(directory);
  } catch (error) {
    // A damaged roster is the roster's business.
    if (!(error instanceof TeamError) || error.code !== "config-invalid") throw error;
  }
}

function asUnusable(error: unknown, directory: string): unknown {
  if (!hasErrno(error, "EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST")) return error;
  return new TeamError("team-unusable", `${directory} cannot be written`, {
    cause: error,
    hint: "Make it writable for you, or name another directory with --team-dir.",
  });
}
