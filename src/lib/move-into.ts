import { rmdir } from "node:fs/promises";
import { onErrno } from "../errors.ts";
import { at, type FilePath, within } from "./file-path.ts";
import { listEntries, moveFile } from "./files.ts";

/**
 * Moves a file or a directory; a directory into one that has something in it entry by entry. To repeat
 * it after a crash moves the rest. `check` is called before each change.
 */
export async function moveInto(
  from: FilePath,
  to: FilePath,
  check: () => Promise<void>,
): Promise<void> {
  const entries = await listEntries(from).catch(onErrno(undefined, "ENOTDIR"));
  const present = await listEntries(to).catch(onErrno([], "ENOTDIR"));
  await check();
  if (entries === undefined || present.length === 0) return moveFile(from, to);
  for (const { name } of entries) await moveInto(within(from, name), within(to, name), check);
  await removeIfEmpty(from);
}

/** Removes a directory unless something is in it. */
export async function removeIfEmpty(directory: FilePath): Promise<void> {
  await at(directory, (location) => rmdir(location)).catch(
    onErrno(undefined, "ENOENT", "ENOTEMPTY", "EEXIST"),
  );
}
