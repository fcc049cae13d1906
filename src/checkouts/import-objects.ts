import { lstat, mkdir, readdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { onErrno, TeamError } from "../errors.ts";
import type { Git } from "../git/git.ts";

export interface ImportOptions {
  /** In the person's repository. */
  git: Git;
  /** The directory of objects in a checkout. */
  objects: string;
  /** The objects to take, with all objects that they refer to. */
  wanted: readonly string[];
  /** What the person's repository has already. */
  known: readonly string[];
  /** A directory for temporary files, which its owner removes. */
  scratch: string;
  signal?: AbortSignal | undefined;
}

const patienceMs = 600_000;

/**
 * Takes objects of a checkout into the person's repository. What is in the checkout may be anything: only files that are
 * named like objects are read there, by a git that knows nothing of the checkout's own settings, and the id of every object is
 * computed from what is in it.
 */
export async function importObjects(options: ImportOptions): Promise<void> {
  const { git, objects, wanted, known, scratch, signal } = options;
  const missing = await missingIn(git, wanted);
  if (missing.length === 0) return;
  const view = await viewOf(objects, join(scratch, "objects"));
  const pack = join(scratch, "pack");
  const input = `${[...missing, ...known.map((id) => `^${id}`)].join("\n")}\n`;
  const pick = ["pack-objects", "--revs", "--thin", "--stdout", "-q"];
  const run = { signal, patienceMs };
  await git.text(pick, { ...run, input, objects: view, outputFile: pack });
  await git.text(["index-pack", "--stdin", "--fix-thin", "--strict"], { ...run, inputFile: pack });
  const left = await missingIn(git, wanted);
  if (left.length === 0) return;
  throw new TeamError("git-failed", `The checkout lacks the object ${left[0]}`);
}

async function missingIn(git: Git, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const input = `${ids.join("\n")}\n`;
  const looked = await git.text(["cat-file", "--batch-check=%(objectname)"], { input });
  const lines = looked.split("\n");
  return ids.filter((_, index) => lines[index]?.endsWith(" missing"));
}

/**
 * A directory with links to those parts of a directory of objects that contain objects. Anything else in it, such as the
 * names of further directories, is left out.
 */
async function viewOf(objects: string, view: string): Promise<string> {
  await mkdir(view);
  for (const name of await readdir(objects)) {
    if (!/^([0-9a-f]{2}|pack)$/.test(name)) continue;
    const found = await lstat(join(objects, name)).catch(onErrno(undefined, "ENOENT"));
    if (found?.isDirectory()) await symlink(join(objects, name), join(view, name));
  }
  return view;
}
