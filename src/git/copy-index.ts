import { copyFile, stat, utimes } from "node:fs/promises";
import { onErrno } from "../errors.ts";

/**
 * Copies an index of git; false where there is none. The copy has the time of the index, in whole seconds as git compares
 * them: by it, git knows which files may have changed since in the same second, and reads those again. A copy with a later
 * time would hide a change that leaves a file's size and second as they are.
 */
export async function copyIndex(from: string, to: string): Promise<boolean> {
  const found = await stat(from).catch(onErrno(undefined, "ENOENT"));
  if (!found) return false;
  await copyFile(from, to);
  const seconds = Math.floor(found.mtimeMs / 1000);
  await utimes(to, seconds, seconds);
  return true;
}
