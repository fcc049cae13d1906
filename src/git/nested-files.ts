import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** The files and links in a directory of `root`, by their paths from there, without what is git's own. */
export async function filesBelow(root: string, directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(root, directory), { withFileTypes: true })) {
    if (entry.name.toLowerCase() === ".git") continue;
    const path = `${directory.replace(/\/$/, "")}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesBelow(root, path)));
    else if (entry.isFile() || entry.isSymbolicLink()) found.push(path);
  }
  return found;
}
