/**
 * Ripgrep walks along paths, so a process that swaps a directory for a link while it walks can lead
 * it out of the workspace. Its results are therefore looked up again through directories that are
 * held open, and only files that really exist there are shown.
 */
import { constants } from "node:fs";
import { posix } from "node:path";
import { hasErrno, TeamError } from "../../errors.ts";
import { closing } from "../../lib/closing.ts";
import type { Directory } from "../../workspace/directory.ts";
import { openRegularFile } from "../../workspace/regular-file.ts";
import type { Match } from "./match-parser.ts";

/** The paths, from `directory` on, at which there is a file. */
export async function confirmFiles(
  directory: Directory,
  paths: readonly string[],
): Promise<string[]> {
  const confirmed: string[] = [];
  for (const group of groupBy(paths, posix.dirname)) {
    const found = await inParent(directory, group[0] ?? "", async (parent) => {
      const stats = await Promise.all(group.map((path) => parent.stat(posix.basename(path))));
      return group.filter((_, index) => stats[index]?.isFile());
    });
    confirmed.push(...(found ?? []));
  }
  return confirmed;
}

/** The matches whose text is in the file, at its place. */
export async function confirmMatches(
  directory: Directory,
  matches: readonly Match[],
): Promise<Match[]> {
  const confirmed: Match[] = [];
  for (const group of groupBy(matches, ({ path }) => path)) {
    const path = group[0]?.path ?? "";
    const found = await inParent(directory, path, (parent) =>
      confirmInFile(parent, posix.basename(path), group),
    );
    confirmed.push(...(found ?? []));
  }
  return confirmed;
}

async function confirmInFile(
  parent: Directory,
  name: string,
  matches: readonly Match[],
): Promise<Match[]> {
  const file = await openRegularFile(parent, name, constants.O_RDONLY);
  if (!file) return [];
  const { handle } = file;
  await using _ = closing(handle);
  const confirmed: Match[] = [];
  for (const match of matches) {
    const bytes = Buffer.alloc(match.text.length);
    await handle.read(bytes, 0, bytes.length, match.offset);
    if (bytes.equals(match.text)) confirmed.push(match);
  }
  return confirmed;
}

/** Undefined if the path has changed since ripgrep saw it. */
async function inParent<T>(
  directory: Directory,
  path: string,
  look: (parent: Directory) => Promise<T>,
): Promise<T | undefined> {
  try {
    await using parent = await directory.descend(path.split("/").slice(0, -1));
    return await look(parent);
  } catch (error) {
    const isGone = hasErrno(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES");
    if (isGone || (error instanceof TeamError && error.code === "path-refused")) return undefined;
    throw error;
  }
}

/** Groups neighbours with the same key. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups: T[][] = [];
  let last: string | undefined;
  for (const item of items) {
    const key = keyOf(item);
    if (key === last) groups.at(-1)?.push(item);
    else groups.push([item]);
    last = key;
  }
  return groups;
}
