import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  type Dirent,
  fstatSync,
  lstatSync,
  open,
  readSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { link, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { hasErrno, onErrno, TeamError } from "../errors.ts";
import { openDirectory } from "./file-owner.ts";
import { at, atDirectory, type FilePath, locationOf, within } from "./file-path.ts";
import { closeToOthers, openIfExistsSync } from "./open-files.ts";

// Small records are read without the thread pool: a step through it takes several times as long as
// the system calls, and the start of a team takes dozens of them. What takes longer goes through the
// pool: making and renaming files, and whatever grows with history, such as listing directories.

const directoryMode = 0o700;
const fileMode = 0o600;

/**
 * Creates `path` and its parents if they are missing; `path` itself is for its owner alone. An
 * existing one is not changed, and is refused if it is a link, or others can write to it.
 */
export async function ensurePrivateDirectory(path: FilePath): Promise<void> {
  if (typeof path === "string") return ensureDirectory(path);
  for (const part of path.lineage()) await ensureDirectory(part);
}

async function ensureDirectory(path: FilePath): Promise<void> {
  await at(path, async (location) => {
    if (isDirectory(location, String(path))) return;
    const isMade = await (typeof path === "string" ? makeWithParents : makeDirectory)(location);
    const descriptor = isMade ? openMade(location) : openDirectory(location, String(path));
    closeSync(descriptor);
  });
}

/** Throws if it is a directory that must not be used. */
function isDirectory(location: string, shown: string): boolean {
  try {
    closeSync(openDirectory(location, shown));
    return true;
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return false;
    throw error;
  }
}

/** A umask can remove mode bits, even those that are needed to open the directory. */
function openMade(location: string): number {
  try {
    const descriptor = openDirectory(location, location);
    closeToOthers(descriptor, directoryMode);
    return descriptor;
  } catch (error) {
    if (!hasErrno(error, "EACCES")) throw error;
    chmodSync(location, directoryMode);
    return openDirectory(location, location);
  }
}

/**
 * False if another process was faster. Not with its parents: below a held directory that was deleted,
 * Node would try forever to make them.
 */
async function makeDirectory(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: directoryMode });
    return true;
  } catch (error) {
    if (hasErrno(error, "EEXIST")) return false;
    throw error;
  }
}

/** False if another process was faster. */
async function makeWithParents(path: string): Promise<boolean> {
  try {
    return (await mkdir(path, { recursive: true, mode: directoryMode })) !== undefined;
  } catch (error) {
    // Node reports ENOENT for a parent that it could not create, whatever the reason was.
    if (!hasErrno(error, "ENOENT")) throw error;
    await mkdir(path, { mode: directoryMode });
    return true;
  }
}

/**
 * Creates `path` with `content`, whole or not at all. False if it exists already; it is then
 * unchanged.
 */
export async function createFileOnce(
  path: FilePath,
  content: string | Uint8Array,
): Promise<boolean> {
  return at(path, async (location) => {
    if (isTaken(location)) return false;
    return withTemporary(location, content, async (temporary) => {
      const isMade = await linkOnce(temporary, location);
      removeIfExists(temporary);
      return isMade;
    });
  });
}

async function linkOnce(from: string, to: string): Promise<boolean> {
  // link, not rename: rename would silently replace a file another process has just created.
  return link(from, to).then(() => true, onErrno(false, "EEXIST"));
}

/** Replaces `path` with `content`: a reader sees the old content or the new one, never a part. */
export async function replaceFile(path: FilePath, content: string | Uint8Array): Promise<void> {
  await at(path, (location) =>
    withTemporary(location, content, (temporary) => rename(temporary, location)),
  );
}

/**
 * Removes the temporary file if `use` throws; if it resolves, the file has been renamed or removed.
 */
async function withTemporary<T>(
  path: string,
  content: string | Uint8Array,
  use: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const descriptor = await promisify(open)(temporary, "wx", fileMode);
    closeToOthers(descriptor, fileMode);
    try {
      writeFileSync(descriptor, content);
    } finally {
      closeSync(descriptor);
    }
    return await use(temporary);
  } catch (error) {
    removeIfExists(temporary);
    throw error;
  }
}

/** Like `rm` with `force`, with one system call instead of three. */
function removeIfExists(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!hasErrno(error, "ENOENT")) throw error;
  }
}

const temporaryName = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/**
 * Removes the temporary files of writers that died from `directory`. With `before`, only older
 * ones: a living writer may still need the rest.
 */
export async function removeTemporaries(directory: FilePath, before?: Date): Promise<void> {
  for (const entry of await listEntries(directory)) {
    if (!entry.isFile() || !temporaryName.test(entry.name)) continue;
    const path = within(directory, entry.name);
    if (before && !(await isOlder(path, before))) continue;
    await removeFile(path);
  }
}

/** The entries of a directory; empty if it is missing. */
export async function listEntries(directory: FilePath): Promise<Dirent[]> {
  return atDirectory(directory, (location) => readdir(location, { withFileTypes: true })).catch(
    onErrno([], "ENOENT"),
  );
}

/** The names in a directory; empty if it is missing. */
export async function listNames(directory: FilePath): Promise<string[]> {
  return atDirectory(directory, (location) => readdir(location)).catch(onErrno([], "ENOENT"));
}

/** Removes a file, or a link itself, if it is there. */
export async function removeFile(path: FilePath): Promise<void> {
  await at(path, (location) => rm(location, { force: true })).catch(onErrno(undefined, "ENOENT"));
}

/** Renames a file or directory, without following links on the way. */
export async function moveFile(from: FilePath, to: FilePath): Promise<void> {
  await at(from, (source) => at(to, (target) => rename(source, target)));
}

/** False also if the file no longer exists. */
async function isOlder(path: FilePath, date: Date): Promise<boolean> {
  const stats = await stat(locationOf(path)).catch(onErrno(undefined, "ENOENT"));
  return stats !== undefined && stats.mtimeMs < date.getTime();
}

/** A larger file is not a record of Troupe. */
const maxTextBytes = 8 * 1024 * 1024;

/** The text of `path`; undefined if there is no such file. */
export async function readTextIfExists(path: FilePath): Promise<string | undefined> {
  return readTextAtOnce(path)?.text;
}

/** A record's text, and its appearance before the reading; undefined if there is no such file. */
export function readTextAtOnce(path: FilePath): { stats: Stats; text: string } | undefined {
  const descriptor = openIfExistsSync(path);
  if (descriptor === undefined) return undefined;
  try {
    const stats = fstatSync(descriptor);
    requireTextSize(path, stats.size);
    const bytes = Buffer.allocUnsafe(stats.size);
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    return { stats, text: bytes.toString("utf8", 0, length) };
  } finally {
    closeSync(descriptor);
  }
}

/** Throws for a file that is too large to be read whole. */
function requireTextSize(path: FilePath, size: number): void {
  if (size <= maxTextBytes) return;
  throw new TeamError(
    "record-corrupt",
    `${path} has ${size} bytes, more than a record may have (${maxTextBytes})`,
    { hint: "Move it away." },
  );
}

/**
 * Moves `path` to a free name in the same directory, which contains `reason` and the time, and
 * returns the new path. Undefined if there is no such file.
 */
export async function moveAside(
  path: FilePath,
  reason: string,
  now: Date,
): Promise<string | undefined> {
  const suffix = `.${reason}-${now.toISOString().replaceAll(":", "-")}`;
  const moved = at(path, async (location) => {
    let target = suffix;
    for (let number = 2; isTaken(location + target); number++) target = `${suffix}-${number}`;
    await rename(location, location + target);
    return `${path}${target}`;
  });
  return moved.catch(onErrno(undefined, "ENOENT"));
}

function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
