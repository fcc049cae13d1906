import { mkdir, mkdtemp, readdir, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasErrno, TeamError } from "../../errors.ts";

/** A temporary directory, or `chosen` if that is new or empty. */
export async function scratchDirectory(chosen: string | undefined): Promise<string> {
  if (chosen === undefined) return realpath(await mkdtemp(join(tmpdir(), "troupe-demo-")));
  if ((await entriesOf(chosen)).length > 0) {
    throw new TeamError("usage-wrong", `${chosen} is not empty`, {
      hint: "The demo writes files: choose a new or empty directory, or omit --dir.",
    });
  }
  await mkdir(chosen, { recursive: true });
  return realpath(chosen);
}

async function entriesOf(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return [];
    if (!hasErrno(error, "ENOTDIR")) throw error;
    throw new TeamError("usage-wrong", `${directory} is not a directory`, {
      cause: error,
      hint: "Choose a new or empty directory, or omit --dir.",
    });
  }
}
