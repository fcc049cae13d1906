import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { orNothing } from "../lib/or-nothing.ts";

/** A deeper directory has its root taken for the one so many above it. */
const maxLevels = 64;

/**
 * The root of the repository that a directory is in, both as real paths; undefined where it is in none. A repository
 * above is one only if it belongs to this user: in a directory that all may write to, such as `/tmp`, anybody can make
 * one for all that is below.
 */
export async function repositoryRoot(directory: string): Promise<string | undefined> {
  let path = directory;
  for (let level = 0; level < maxLevels; level++) {
    const found = await orNothing(lstat(join(path, ".git")), undefined);
    const isOwn = path === directory || found?.uid === process.getuid?.();
    if (found) return isOwn ? path : undefined;
    const above = dirname(path);
    if (above === path) return undefined;
    path = above;
  }
  return undefined;
}

/** The directories from `from` down to `to`, which is in it. Both are real paths. */
export function directoriesBetween(from: string, to: string): string[] {
  const found = [to];
  for (let path = to; path !== from && found.length < maxLevels; ) {
    path = dirname(path);
    found.unshift(path);
  }
  return found;
}
