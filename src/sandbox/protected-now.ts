import { lstat, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { orNothing } from "../lib/or-nothing.ts";
import type { Confinement } from "./sandbox.ts";

/** The protected files that exist, each with what tells that another one has taken its place. */
export async function protectedNow({
  protected: find,
}: Pick<Confinement, "protected">): Promise<Map<string, string>> {
  const paths = await find();
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await identityOf(path)] as const)),
  );
}

/**
 * Nothing can be mounted on a link, so a command can replace one, or what it leads to. What is mounted can only be moved
 * with a directory above it. Of a file, only the directory counts: editors replace files.
 */
async function identityOf(path: string): Promise<string> {
  const found = await orNothing(lstat(path), undefined);
  if (!found || found.isFile()) return `file in ${await numberOf(dirname(path))}`;
  const real = await orNothing(realpath(path), "");
  return `${found.dev}:${found.ino} ${real}`;
}

async function numberOf(directory: string): Promise<string> {
  const found = await orNothing(lstat(directory), undefined);
  return `${found?.dev}:${found?.ino}`;
}
