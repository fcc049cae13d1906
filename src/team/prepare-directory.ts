import { hasErrno, TeamError } from "../errors.ts";
import { createFileOnce, ensurePrivateDirectory, removeTemporaries } from "../lib/files.ts";
import { OwnDirectory } from "../lib/own-directory.ts";
import type { TeamLayout } from "./team-layout.ts";
import { requireTeamShape } from "./team-shape.ts";

/**
 * Opens the directory of a team, and makes it where there is none. Throws, and has changed nothing,
 * where it is not this user's alone, is a link, has something else in it, or is of a newer troupe.
 */
export async function holdDirectory(directory: string): Promise<OwnDirectory> {
  try {
    await ensurePrivateDirectory(directory);
    const held = OwnDirectory.open(directory);
    try {
      await requireTeamShape(held.to());
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
    return held;
  } catch (error) {
    throw asUnusable(error, directory);
  }
}

/** Makes those of a team's directories that are missing. */
export async function makeDirectories(layout: TeamLayout): Promise<void> {
  try {
    await Promise.all(directories(layout).map((path) => ensurePrivateDirectory(path)));
    await createFileOnce(layout.gitignore, "*\n");
  } catch (error) {
    throw asUnusable(error, String(layout.directory));
  }
}

/** Removes what a lead left that died. Only for its successor: a living one is about to use it. */
export async function removeLeftovers(layout: TeamLayout): Promise<void> {
  await Promise.all(directories(layout).map((path) => removeTemporaries(path)));
}

function directories({ directory, inbox, transcripts, tasks, requests }: TeamLayout) {
  return [directory, inbox, transcripts, tasks, requests];
}

function asUnusable(error: unknown, directory: string): unknown {
  if (!hasErrno(error, "EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST")) return error;
  return new TeamError("team-unusable", `${directory} cannot be written`, {
    cause: error,
    hint: "Make it writable, or choose another directory with --team-dir.",
  });
}
