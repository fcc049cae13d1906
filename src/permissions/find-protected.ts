import { lstat, readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { orNothing } from "../lib/or-nothing.ts";
import { isProtected } from "./protected-paths.ts";

/** How deep it looks, and into how many directories: it looks before and after every command. */
const maxDepth = 3;
const maxDirectories = 500;
const maxSubmodules = 200;

/**
 * The protected files and directories that exist in a directory and near below it. What is below one
 * is not listed, nor what is in installed packages.
 */
export async function findProtected(root: string): Promise<string[]> {
  const found: string[] = [];
  let level = [""];
  let left = maxDirectories;
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const searched = level.slice(0, left);
    left -= searched.length;
    const next = await Promise.all(searched.map((directory) => look(root, directory, found)));
    level = next.flat();
  }
  const known = new Set([...found, ...(await submodulesOf(root))]);
  return [...known].sort();
}

/** The `.git` of each submodule, however deep: git in the directory above runs what their configuration says. */
async function submodulesOf(root: string): Promise<string[]> {
  const text = await orNothing(readFile(join(root, ".gitmodules"), "utf8"), "");
  const paths = [...text.matchAll(/^\s*path\s*=\s*"?([^"\n]+?)"?\s*$/gm)].flatMap(
    ([, path]) => path ?? [],
  );
  const found = await Promise.all(
    paths.slice(0, maxSubmodules).map(async (path) => {
      const place = join(root, path, ".git");
      const isBelow = place.startsWith(`${root}/`);
      return isBelow && (await orNothing(lstat(place), undefined)) ? [place] : [];
    }),
  );
  return found.flat();
}

/** Adds what is protected in one directory, and returns the directories in it that are not. */
async function look(root: string, directory: string, found: string[]): Promise<string[]> {
  const entries = await orNothing(readdir(join(root, directory), { withFileTypes: true }), []);
  const further: string[] = [];
  for (const entry of entries) {
    const relative = directory === "" ? entry.name : `${directory}/${entry.name}`;
    const real = join(root, relative);
    if (isProtected({ relative, real, isInside: true }, [])) {
      found.push(real);
      if (entry.name === ".git" && entry.isFile()) found.push(...(await repositoryOf(real)));
    } else if (entry.isDirectory() && entry.name !== "node_modules") further.push(relative);
  }
  return further;
}

/** Where the repository is that a `.git` file names: in a directory of any name. */
async function repositoryOf(file: string): Promise<string[]> {
  const text = await orNothing(readFile(file, "utf8"), "");
  const [, named] = /^gitdir: (.+)/.exec(text) ?? [];
  return named === undefined ? [] : [resolve(dirname(file), named)];
}
