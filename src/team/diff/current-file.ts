import { hasErrno, TeamError } from "../../errors.ts";
import { closing } from "../../lib/closing.ts";
import { readWhole } from "../../workspace/regular-file.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { maxFileBytes, type VersionContent } from "./changes.ts";

/** What a file has in it now. No link is followed, and no pipe or device is touched. */
export async function readCurrent(workspace: Workspace, real: string): Promise<VersionContent> {
  try {
    const file = await workspace.openFile(real);
    if (!file) return { type: "missing" };
    await using _ = closing(file.handle);
    if (file.stats.size > maxFileBytes) return tooLarge;
    return { type: "content", bytes: await readWhole(file.handle, real) };
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ENOTDIR")) return { type: "missing" };
    if (hasErrno(error, "EACCES", "EPERM")) return { type: "unknown", reason: "not readable" };
    if (error instanceof TeamError || hasErrno(error, "ELOOP", "EISDIR")) {
      return { type: "unknown", reason: "not a regular file" };
    }
    throw error;
  }
}

export const tooLarge: VersionContent = { type: "unknown", reason: "too large to show" };
