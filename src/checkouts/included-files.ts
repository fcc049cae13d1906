import { constants } from "node:fs";
import { chmod, copyFile, lstat, open, readlink, realpath, stat, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { onErrno } from "../errors.ts";
import type { Git } from "../git/git.ts";
import { ignoredAmong } from "../git/ignored.ts";
import { closing } from "../lib/closing.ts";
import { contains } from "../lib/contains.ts";
import { isThere } from "../lib/is-there.ts";
import { directoryIn } from "./directory-in.ts";

/** Names the ignored files that checkouts have, too, in the language of `.gitignore`. */
const includeFile = ".worktreeinclude";

export interface IncludeOptions {
  /** In the directory that has the files. */
  git: Git;
  /** That directory. */
  from: string;
  /** The checkout. */
  to: string;
  /** Directories in `from` that are never copied, such as the team's. */
  without: readonly string[];
  /** In place of the repository's own index. */
  index?: string | undefined;
  signal?: AbortSignal | undefined;
}

const maxFileBytes = 64 * 1024;
const patienceMs = 600_000;

/**
 * Copies the files that `.worktreeinclude` names and that are ignored. Returns the paths that it names and that
 * were not copied, because they are links that lead out of the directory, or no files.
 */
export async function copyIncluded(options: IncludeOptions): Promise<string[]> {
  const { from, to } = options;
  const real = { from: await realpath(from), to: await realpath(to) };
  const left: string[] = [];
  for (const path of await includedFiles(options)) {
    if (!(await copyOne(path, real))) left.push(path);
  }
  return left;
}

/** The ignored files that `.worktreeinclude` names, by their paths from `from`. */
export async function includedFiles({
  git,
  from,
  without,
  index,
  signal,
}: Omit<IncludeOptions, "to">): Promise<string[]> {
  const patterns = await readPatterns(join(from, includeFile));
  if (patterns.length === 0) return [];
  const excludes = patterns.flatMap((pattern) => ["-x", pattern]);
  const argv = ["ls-files", "-z", "--others", "--ignored", ...excludes];
  const run = { signal, patienceMs, ...(index !== undefined && { index }) };
  const named = (await git.text(argv, run)).split("\0");
  const found = named.filter((path) => path !== "" && !without.some((it) => contains(it, path)));
  const ignored = await ignoredAmong(git, found, run);
  return found.filter((path) => ignored.has(path));
}

/** The lines of the file itself: where it is a link, it names nothing. */
async function readPatterns(path: string): Promise<string[]> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(onErrno(undefined, "ENOENT", "ELOOP", "ENOTDIR"));
  if (!file) return [];
  await using _ = closing(file);
  if (!(await file.stat()).isFile()) return [];
  const { buffer, bytesRead } = await file.read(Buffer.alloc(maxFileBytes), 0, maxFileBytes, 0);
  const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
  return lines.map((line) => line.replace(/\r$/, "")).filter((line) => !/^\s*(#|$)/.test(line));
}

/** False where it is not to be copied. */
async function copyOne(path: string, { from, to }: { from: string; to: string }): Promise<boolean> {
  const [source, target] = [join(from, path), join(to, path)];
  const found = await lstat(source).catch(onErrno(undefined, "ENOENT", "ENOTDIR"));
  if (!found?.isFile() && !found?.isSymbolicLink()) return false;
  // The checkout may have a link where the directory has a directory.
  if ((await directoryIn(to, dirname(path))) === undefined) return false;
  if (await isThere(target)) return false;
  if (found.isFile()) {
    await copyFile(source, target, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    await chmod(target, found.mode & 0o777);
    return true;
  }
  return await copyLink(source, target, from);
}

/** Copies a link that leads to something in the directory, as a relative one. */
async function copyLink(source: string, target: string, from: string): Promise<boolean> {
  const real = await realpath(source).catch(onErrno(undefined, "ENOENT", "ELOOP", "ENOTDIR"));
  if (real === undefined || !contains(from, real)) return false;
  const written = await readlink(source);
  const text = written.startsWith("/") ? relative(dirname(source), real) : written;
  await symlink(text, target);
  return true;
}

/** Links to files and directories of the person, which cannot be changed from a sandbox. */
export interface LinkedPaths {
  /** Those that were made, by their paths from the checkout. */
  linked: string[];
  /** Those that the directory does not have, or that the checkout has as files of its own. */
  left: string[];
}

/** Makes a link in the checkout for each path that is there in the directory and not in the checkout. */
export async function linkPaths(
  paths: readonly string[],
  { from, to }: Pick<IncludeOptions, "from" | "to">,
): Promise<LinkedPaths> {
  const result: LinkedPaths = { linked: [], left: [] };
  for (const path of paths) {
    const isMade = await linkOne(path, { from, to });
    (isMade ? result.linked : result.left).push(path);
  }
  return result;
}

async function linkOne(
  path: string,
  { from, to }: Pick<IncludeOptions, "from" | "to">,
): Promise<boolean> {
  const source = join(from, path);
  const found = await stat(source).catch(onErrno(undefined, "ENOENT", "ENOTDIR", "ELOOP"));
  if (!found || (await directoryIn(to, dirname(path))) === undefined) return false;
  return symlink(source, join(to, path)).then(() => true, onErrno(false, "EEXIST"));
}
