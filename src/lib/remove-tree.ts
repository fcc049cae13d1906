import { chmod, lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasErrno } from "../errors.ts";

/** Removes a directory with all that is in it, read-only directories too, as package caches make them. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (!hasErrno(error, "EACCES", "EPERM")) throw error;
    await openUp(path);
    await rm(path, { recursive: true, force: true });
  }
}

async function openUp(directory: string): Promise<void> {
  // The mode of a link is that of what it leads to, which is not to be removed.
  if (!(await lstat(directory)).isDirectory()) return;
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    await openUp(join(directory, entry.name));
  }
}
