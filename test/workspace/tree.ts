import { createHash } from "node:crypto";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Everything below a directory: of each path what it is, and of a file the hash of its content. */
export async function treeOf(directory: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const path of (await readdir(directory, { recursive: true })).sort()) {
    tree[path] = await contentOf(join(directory, path));
  }
  return tree;
}

async function contentOf(path: string): Promise<string> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) return `link to ${await readlink(path)}`;
  if (!stats.isFile()) return "directory";
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}
