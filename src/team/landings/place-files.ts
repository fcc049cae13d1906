import type { BigIntStats } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasErrno, onErrno, TeamError } from "../../errors.ts";
import { type ChangedPath, submoduleMode } from "../../git/changed-paths.ts";
import type { Git } from "../../git/git.ts";
import type { Repository } from "../../git/repository.ts";
import { inTheWayOf } from "../../lib/in-the-way.ts";
import { systemProcesses } from "../../lib/process-identity.ts";
import { removeTree } from "../../lib/remove-tree.ts";
import { canEnterDescriptors, Directory } from "../../workspace/directory.ts";

/** A file of the person that was left as it is. */
export interface LeftFile {
  /** Its path in the repository. */
  path: string;
  /** Why, such as `you have changed it`. */
  reason: string;
}

export interface PlaceFilesOptions {
  git: Git;
  repository: Pick<Repository, "top" | "gitDirectory">;
  /** The commit that has the new content. */
  commit: string;
  /** What differs between the commit that the files are at and `commit`. */
  changed: readonly ChangedPath[];
  signal?: AbortSignal | undefined;
}

/** A file that is as git last knew it, and how it was found. */
interface FoundFile {
  path: string;
  isRemoved: boolean;
  stats: BigIntStats | undefined;
}

/**
 * Gives changed files their new content, each whole and only where it is as git last knew it. One that has its new content
 * already is done. Where any has another one, nothing is written, and those are returned.
 */
export async function placeFiles(
  options: PlaceFilesOptions,
): Promise<{ left: LeftFile[]; written: number }> {
  const { repository } = options;
  const { top } = repository;
  const scratch = await openScratch(repository);
  try {
    const { left, found } = await compare(options, scratch);
    if (left.length > 0) return { left, written: 0 };
    const files = join(scratch, "files/");
    await mkdir(files);
    await checkOut(options, { found, scratch, prefix: files });
    const entersDescriptors = await canEnterDescriptors();
    let written = 0;
    // Removals first: a file may come in the place of a directory, and the other way round.
    for (const file of found.sort((a, b) => Number(b.isRemoved) - Number(a.isRemoved))) {
      const isDone = await place(file, { top, from: join(files, file.path), entersDescriptors });
      if (isDone) written++;
      else left.push({ path: file.path, reason: "it was changed right now" });
    }
    await makeSubmodules(options);
    return { left, written };
  } finally {
    await removeTree(scratch);
  }
}

/** Where files can be moved from into the work tree, and git does not see them. */
async function openScratch({
  top,
  gitDirectory,
}: PlaceFilesOptions["repository"]): Promise<string> {
  const [a, b] = await Promise.all([stat(top), stat(gitDirectory)]);
  const [directory, name] =
    a.dev === b.dev ? [gitDirectory, "troupe-land-"] : [top, ".troupe-land-"];
  await removeLeftovers(directory, name);
  return await mkdtemp(join(directory, `${name}${process.pid}-`));
}

/** What processes that were killed have left. */
async function removeLeftovers(directory: string, start: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const pid = name.startsWith(start) ? Number.parseInt(name.slice(start.length), 10) : Number.NaN;
    const isLeft = Number.isSafeInteger(pid) && (await systemProcesses.startOf(pid)) === undefined;
    if (isLeft) await removeTree(join(directory, name));
  }
}

/** Which files are as git last knew them, and which are otherwise. Those that are new already are neither. */
async function compare(
  { git, repository: { top }, changed }: PlaceFilesOptions,
  scratch: string,
): Promise<{ left: LeftFile[]; found: FoundFile[] }> {
  const files = changed.filter(({ modes }) => !modes.includes(submoduleMode));
  // Before git reads them, so that a later change shows.
  const stats = await Promise.all(files.map(({ path }) => statOf(join(top, path))));
  const [asBefore, asAfter] = [
    await sameFiles(git, files, { side: 0, index: join(scratch, "before") }),
    await sameFiles(git, files, { side: 1, index: join(scratch, "after") }),
  ];
  const removed = new Set(files.filter(isRemoval).map(({ path }) => path));
  const left: LeftFile[] = [];
  const found: FoundFile[] = [];
  for (const [index, each] of files.entries()) {
    const { path, modes } = each;
    const isRemoved = isRemoval(each);
    const known = { path, isRemoved, stats: isNoFile(stats[index]) ? undefined : stats[index] };
    if (asAfter.has(path)) continue;
    if (asBefore.has(path)) found.push(known);
    else if (isRemoved && isNoFile(stats[index])) continue;
    else if (modes[0] === noFile) {
      const way = await inTheWayOf(path, { top, removed });
      if (way === undefined) found.push(known);
      else left.push({ path: way, reason: "git does not know it, and it is in the way" });
    } else left.push({ path, reason: "you have changed it" });
  }
  return { left, found };
}

const noFile = "000000";

function isRemoval({ modes: [, after] }: ChangedPath): boolean {
  return after === noFile;
}

/** A directory may have come in the place of a file that is removed. */
function isNoFile(stats: BigIntStats | undefined): boolean {
  return stats?.isDirectory() ?? true;
}

/** The paths at which the work tree has exactly the version of one side. */
async function sameFiles(
  git: Git,
  changed: readonly ChangedPath[],
  { side, index }: { side: 0 | 1; index: string },
): Promise<Set<string>> {
  const there = changed.filter(({ modes }) => modes[side] !== noFile);
  const lines = there.map(
    ({ path, modes, objects }) => `${modes[side]} ${objects[side]}\t${path}\0`,
  );
  await git.text(["update-index", "-z", "--index-info"], { index, input: lines.join("") });
  // It ends with 1 where a file differs.
  await git.run(["update-index", "-q", "--refresh"], { index, patienceMs });
  const differing = await git.text(["diff-files", "-z", "--name-only"], { index });
  const others = new Set(differing.split("\0"));
  return new Set(there.map(({ path }) => path).filter((path) => !others.has(path)));
}

const patienceMs = 600_000;

/** Makes the new files in the scratch directory, as git would in the work tree. */
async function checkOut(
  { git, signal }: PlaceFilesOptions,
  { found, scratch, prefix }: { found: readonly FoundFile[]; scratch: string; prefix: string },
): Promise<void> {
  const input = found.flatMap(({ path, isRemoved }) => (isRemoved ? [] : [`${path}\0`])).join("");
  if (input === "") return;
  const run = { index: join(scratch, "after"), input, signal, patienceMs };
  await git.text(["checkout-index", "-z", "--stdin", `--prefix=${prefix}`], run);
}

interface Placing {
  top: string;
  from: string;
  entersDescriptors: boolean;
}

/** False, without any change, where the file is not as it was found any more. */
async function place(
  { path, isRemoved, stats }: FoundFile,
  { top, from, entersDescriptors }: Placing,
): Promise<boolean> {
  const names = path.split("/");
  const name = names.pop() ?? "";
  try {
    await using directory = await openParent(names, { top, entersDescriptors });
    const now = await directory.stat(name);
    if (appearanceOf(now) !== appearanceOf(stats)) return false;
    if (isRemoved) await directory.remove(name);
    else await (stats ? directory.moveIn(from, name) : directory.linkIn(from, name));
  } catch (error) {
    // A link or a file is where a directory was, or something new is in the place of the file.
    const isChanged =
      hasErrno(error, "ELOOP", "ENOTDIR", "EEXIST", "EISDIR", "ENOTEMPTY", "ENOENT") ||
      (error instanceof TeamError && error.code === "path-refused");
    if (isChanged) return false;
    throw error;
  }
  if (isRemoved) await removeEmpty(names, top);
  return true;
}

async function openParent(
  names: readonly string[],
  { top, entersDescriptors }: Pick<Placing, "top" | "entersDescriptors">,
): Promise<Directory> {
  let directory = await Directory.open(top, entersDescriptors);
  for (const name of names) {
    await using above = directory;
    await above.make(name);
    directory = await above.enter(name);
  }
  return directory;
}

/** As git does: a directory without files is none. */
async function removeEmpty(names: readonly string[], top: string): Promise<void> {
  for (let count = names.length; count > 0; count--) {
    const directory = join(top, ...names.slice(0, count));
    const isRemoved = await rmdir(directory).then(
      () => true,
      onErrno(false, "ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR"),
    );
    if (!isRemoved) return;
  }
}

/** A text that differs after each change of a file; undefined where there is none. */
function appearanceOf(stats: BigIntStats | undefined): string | undefined {
  return stats && `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}

async function statOf(path: string): Promise<BigIntStats | undefined> {
  return await lstat(path, { bigint: true }).catch(onErrno(undefined, "ENOENT", "ENOTDIR"));
}

/** Git takes a missing directory for a submodule that was removed. */
async function makeSubmodules({ repository: { top }, changed }: PlaceFilesOptions): Promise<void> {
  for (const { path, modes } of changed) {
    if (modes[1] !== submoduleMode || modes[0] !== noFile) continue;
    await mkdir(dirname(join(top, path)), { recursive: true });
    await mkdir(join(top, path)).catch(onErrno(undefined, "EEXIST"));
  }
}
