import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { onErrno } from "../errors.ts";

/**
 * Removes the locks of refs below `refs` that a killed git has left: git would refuse to change those refs forever.
 * Only for refs that nobody else changes.
 */
export async function removeOwnLocks(repository: string, refs: string): Promise<void> {
  const directory = join(repository, refs);
  const names = await readdir(directory, { recursive: true }).catch(
    onErrno([], "ENOENT", "ENOTDIR"),
  );
  for (const name of names) {
    // No ref has such a name.
    if (name.endsWith(".lock")) await rm(join(directory, name), { force: true });
  }
}
