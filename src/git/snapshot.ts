import { lstat, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { onErrno } from "../errors.ts";
import { contains } from "../lib/contains.ts";
import { submoduleMode } from "./changed-paths.ts";
import { copyIndex } from "./copy-index.ts";
import type { CommitAuthor, Git, GitRun } from "./git.ts";
import { ignoredAmong } from "./ignored.ts";
import { filesBelow } from "./nested-files.ts";

export interface SnapshotOptions {
  /** The directory of the files: the work tree of `git`. */
  workTree: string;
  /** A path for the temporary index. It is removed in the end. */
  index: string;
  /** The index to begin with, which is not changed: files that it knows need not be read. */
  like: string | undefined;
  /** Where the index is kept for the next snapshot (default: nowhere). */
  keepIndexAs?: string | undefined;
  parents: readonly [string, ...string[]];
  message: string;
  author: CommitAuthor;
  /** Paths in the work tree that are left out. */
  without?: readonly string[];
  signal?: AbortSignal | undefined;
}

const patienceMs = 600_000;

/**
 * A commit of all files of a work tree that are not ignored, or the first parent where they are the same as there. It
 * adds objects to the repository, and changes neither its index nor any ref.
 *
 * Repositories in the work tree are not asked anything, as git would do that with their own configuration: submodules
 * stay at the commit that the first parent has, and the files of other repositories are taken like all others.
 */
export async function takeSnapshot(git: Git, options: SnapshotOptions): Promise<string> {
  const { index, like, keepIndexAs, parents, message, author, signal } = options;
  const [parent] = parents;
  try {
    const isCopied = like !== undefined && (await copyIndex(like, index));
    if (!isCopied) await git.text(["read-tree", parent], { index, signal, patienceMs });
    await updateIndex(git, options);
    const tree = await git.text(["write-tree"], { index, signal, patienceMs });
    const tip = await git.text(["rev-parse", `${parent}^{tree}`], { signal });
    if (keepIndexAs !== undefined) await rename(index, keepIndexAs);
    if (tree === tip && parents.length === 1) return parent;
    const argv = ["commit-tree", tree, ...parents.flatMap((commit) => ["-p", commit])];
    return await git.text(argv, { author, input: message, signal });
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

async function updateIndex(
  git: Git,
  { workTree, index, parents: [parent], without = [], signal }: SnapshotOptions,
): Promise<void> {
  const run = { index, signal, patienceMs };
  const known = await takeOutSubmodules(git, run);
  await git.text(["add", "--update", "--sparse", "--", "."], run);
  const others = await git.text(["ls-files", "-z", "--others", "--exclude-standard"], run);
  const paths = splitPaths(others).filter((path) => !without.some((it) => contains(it, path)));
  // A repository ends in a slash, and an empty submodule is not among them.
  const repositories = paths.filter((path) => path.endsWith("/"));
  const links = await submodulesOf(git, [...known, ...repositories.map(withoutSlash)], {
    ...{ parent, workTree, run },
  });
  const nested = repositories.filter((path) => !links.has(withoutSlash(path)));
  const below = (await Promise.all(nested.map((path) => filesBelow(workTree, path)))).flat();
  const ignored = await ignoredAmong(git, below, run);
  const files = paths.filter((path) => !path.endsWith("/"));
  const added = [...files, ...below.filter((path) => !ignored.has(path))];
  if (added.length > 0) {
    const argv = ["update-index", "-z", "--add", "--replace", "--remove", "--stdin"];
    await git.text(argv, { ...run, input: `${added.join("\0")}\0` });
  }
  if (links.size > 0) {
    const input = [...links].map(([path, commit]) => `${submoduleMode} ${commit} 0\t${path}\0`);
    await git.text(["update-index", "-z", "--index-info"], { ...run, input: input.join("") });
  }
  if (without.length > 0) {
    await git.text(["rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", ...without], run);
  }
}

/** Git would run in a submodule that is in the index, to find out whether it has changes. */
async function takeOutSubmodules(git: Git, run: GitRun): Promise<string[]> {
  const staged = splitPaths(await git.text(["ls-files", "-z", "--stage"], run));
  const links = staged.filter((line) => line.startsWith(submoduleMode));
  const paths = links.map((line) => line.slice(line.indexOf("\t") + 1));
  if (paths.length > 0) {
    const argv = ["update-index", "-z", "--force-remove", "--stdin"];
    await git.text(argv, { ...run, input: `${paths.join("\0")}\0` });
  }
  return paths;
}

/** Those of `paths` that are submodules in the parent and still there, with their commits. */
async function submodulesOf(
  git: Git,
  paths: readonly string[],
  { parent, workTree, run }: { parent: string; workTree: string; run: GitRun },
): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map();
  const listed = splitPaths(await git.text(["ls-tree", "-z", parent, "--", ...paths], run));
  const links = new Map<string, string>();
  for (const line of listed) {
    const [fields = "", path = ""] = line.split("\t");
    const [mode, , commit = ""] = fields.split(" ");
    if (mode !== submoduleMode) continue;
    const found = await lstat(join(workTree, path)).catch(onErrno(undefined, "ENOENT", "ENOTDIR"));
    if (found?.isDirectory()) links.set(path, commit);
  }
  return links;
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "");
}

function splitPaths(text: string): string[] {
  return text.split("\0").filter((path) => path !== "");
}
