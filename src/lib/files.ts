import { randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  type Dirent,
  existsSync,
  fchmodSync,
  fstatSync,
  openSync,
} from "node:fs";
import {
  chmod,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { join } from "node:path";
import { hasErrno, TeamError } from "../errors.ts";

const directoryMode = 0o700;
const fileMode = 0o600;
const permissionBits = 0o777;

/** Makes `path` and its parents where they are missing; `path` itself is for its owner alone. */
export async function ensurePrivateDirectory(path: string): Promise<void> {
  await makeDirectories(path);
  const { mode } = await stat(path);
  // A umask can take bits from what mkdir was asked for, and an older directory may have more.
  if ((mode & permissionBits) !== directoryMode) await chmod(path, directoryMode);
}

async function makeDirectories(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: directoryMode });
  } catch (error) {
    // Node says ENOENT of a parent that it could not make, whatever the reason was.
    if (hasErrno(error, "ENOENT")) await mkdir(path, { mode: directoryMode });
    else throw error;
  }
}

/** Creates `path` with `text`, whole or not at all. False when it exists already, untouched. */
export async function createFileOnce(path: string, text: string): Promise<boolean> {
  return withTemporary(path, text, async (temporary) => {
    const isMade = await linkOnce(temporary, path);
    await rm(temporary, { force: true });
    return isMade;
  });
}

async function linkOnce(from: string, to: string): Promise<boolean> {
  try {
    // link, not rename: rename would silently replace a file another process has just created.
    await link(from, to);
    return true;
  } catch (error) {
    if (hasErrno(error, "EEXIST")) return false;
    throw error;
  }
}

/** Replaces `path` with `text`: whoever reads it sees the old text or the new, never a part. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await withTemporary(path, text, (temporary) => rename(temporary, path));
}

/** `use` leaves nothing of the temporary file where it resolves; where it throws, that is seen to. */
async function withTemporary<T>(
  path: string,
  text: string,
  use: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "wx", fileMode);
    try {
      await file.chmod(fileMode);
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return await use(temporary);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

const temporaryName = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/**
 * Removes what a writer left in `directory` when it died between two steps. With `before`, only
 * what is older: a writer that lives may still need the rest.
 */
export async function removeTemporaries(directory: string, before?: Date): Promise<void> {
  for (const entry of await listIfExists(directory)) {
    if (!entry.isFile() || !temporaryName.test(entry.name)) continue;
    const path = join(directory, entry.name);
    if (before && !(await isOlder(path, before))) continue;
    await rm(path, { force: true });
  }
}

async function listIfExists(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return [];
    throw error;
  }
}

/** False also where there is no such file any more. */
async function isOlder(path: string, date: Date): Promise<boolean> {
  const modified = await modifiedMs(path);
  return modified !== undefined && modified < date.getTime();
}

/** When `path` was last changed, or undefined where there is no such file. */
export async function modifiedMs(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** The text of `path`, or undefined where there is no such file. */
export async function readTextIfExists(path: string): Promise<string | undefined> {
  await using file = await openIfExists(path);
  return await file?.readFile("utf8");
}

/**
 * Opens `path` for reading, or undefined where there is no such file. A pipe or a device in its
 * place is refused: whoever waits for it waits for ever, and holds up all other reading.
 */
export async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return await refuseEndless(file, path);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    // So a socket answers.
    if (hasErrno(error, "ENXIO")) throw noFile(path);
    throw error;
  }
}

async function refuseEndless(file: FileHandle, path: string): Promise<FileHandle> {
  try {
    const stats = await file.stat();
    // A directory cannot be read from, and says so itself.
    if (stats.isFile() || stats.isDirectory()) return file;
    throw noFile(path);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function noFile(path: string): TeamError {
  return new TeamError("record-corrupt", `${path} is a pipe or a device, where a file should be`, {
    hint: "Move it away.",
  });
}

/** Opens `path` with `flags`; the file is for its owner alone, whatever the umask. */
export function openPrivateSync(path: string, flags: string | number): number {
  const descriptor = openSync(path, flags, fileMode);
  try {
    const { mode } = fstatSync(descriptor);
    if ((mode & permissionBits) !== fileMode) fchmodSync(descriptor, fileMode);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/**
 * Moves `path` to a free name beside it that says `reason` and the time, and returns that name.
 * Undefined where there is no such file.
 */
export async function setAside(
  path: string,
  reason: string,
  now: Date,
): Promise<string | undefined> {
  const name = `${path}.${reason}-${now.toISOString().replaceAll(":", "-")}`;
  let target = name;
  for (let number = 2; existsSync(target); number++) target = `${name}-${number}`;
  try {
    await rename(path, target);
    return target;
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}
