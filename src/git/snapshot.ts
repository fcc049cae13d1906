import { copyFile, rm } from "node:fs/promises";
import { onErrno } from "../errors.ts";
import type { CommitAuthor, Git } from "./git.ts";

export interface SnapshotOptions {
  /** A path for the temporary index. It is removed in the end. */
  index: string;
  /** The index to begin with, which is not changed: files that it knows need not be read. */
  like: string | undefined;
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
 */
export async function takeSnapshot(git: Git, options: SnapshotOptions): Promise<string> {
  const { index, like, parents, message, author, without = [], signal } = options;
  const [parent] = parents;
  try {
    const isCopied = like !== undefined && (await copyIfThere(like, index));
    const run = { index, signal, patienceMs };
    if (!isCopied) await git.text(["read-tree", parent], run);
    await git.text(["add", "--all", "--sparse", "--", "."], run);
    if (without.length > 0) {
      await git.text(["rm", "-r", "-q", "--cached", "--ignore-unmatch", "--", ...without], run);
    }
    const tree = await git.text(["write-tree"], run);
    const tip = await git.text(["rev-parse", `${parent}^{tree}`], { signal });
    if (tree === tip && parents.length === 1) return parent;
    const argv = ["commit-tree", tree, ...parents.flatMap((commit) => ["-p", commit])];
    return await git.text(argv, { author, input: message, signal });
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

async function copyIfThere(from: string, to: string): Promise<boolean> {
  const copied = copyFile(from, to).then(() => true);
  return copied.catch(onErrno(false, "ENOENT"));
}
