import { randomUUID } from "node:crypto";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { onErrno } from "../errors.ts";
import { removeTree } from "../lib/remove-tree.ts";

/** With nothing else in the directory of the checkouts. */
const scratchName = /-[0-9a-f-]{36}\.tmp$/;

/**
 * Calls `use` with a directory for temporary files of a checkout, and removes it. It has a name of its own: git of a
 * process that was killed may still write to that of an earlier call.
 */
export async function withScratch<T>(
  checkout: string,
  use: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = `${checkout}-${randomUUID()}.tmp`;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return await use(directory);
  } finally {
    await removeTree(directory);
  }
}

/** Removes what processes that were killed have left in the directory of the checkouts. */
export async function removeScratch(checkouts: string): Promise<void> {
  const names = await readdir(checkouts).catch(onErrno([], "ENOENT"));
  const left = names.filter((name) => scratchName.test(name));
  for (const name of left) await removeTree(join(checkouts, name));
}
