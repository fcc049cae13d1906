import { closeSync, constants, fchmodSync, fstatSync, openSync, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { hasErrno, TeamError } from "../errors.ts";
import { isLink, quoted, requireOwner } from "./file-owner.ts";
import { at, atSync, type FilePath } from "./file-path.ts";

const fileMode = 0o600;
const permissionBits = 0o777;
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/**
 * Opens a file of this user for reading; undefined if there is none. No link is followed, and a
 * pipe or a device in its place is refused: reading it could block forever, and with it all other
 * reads.
 */
export async function openIfExists(path: FilePath): Promise<FileHandle | undefined> {
  try {
    const file = await at(path, (location) => open(location, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
    return await refuseForeign(file, path);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw asForeign(error, path);
  }
}

export function openIfExistsSync(path: FilePath): number | undefined {
  try {
    return openOwnSync(path, O_RDONLY);
  } catch (error) {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  }
}

async function refuseForeign(file: FileHandle, path: FilePath): Promise<FileHandle> {
  try {
    requireOwnFile(fstatSync(file.fd), path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opens an existing file with `flags`, if it belongs to this user. */
function openOwnSync(path: FilePath, flags: number): number {
  try {
    const descriptor = atSync(path, (location) =>
      openSync(location, flags | O_NONBLOCK | O_NOFOLLOW, fileMode),
    );
    try {
      requireOwnFile(fstatSync(descriptor), path);
      return descriptor;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  } catch (error) {
    throw asForeign(error, path);
  }
}

function requireOwnFile(stats: Stats, path: FilePath): void {
  // Reading from a directory fails with its own error.
  if (stats.isDirectory()) return;
  if (!stats.isFile()) throw noFile(path);
  requireOwner(stats, String(path));
}

function asForeign(error: unknown, path: FilePath): unknown {
  if (hasErrno(error, "ELOOP")) return isLink(String(path));
  // The error for a socket, and for a pipe without a reader.
  return hasErrno(error, "ENXIO") ? noFile(path) : error;
}

function noFile(path: FilePath): TeamError {
  return new TeamError("record-corrupt", `${path} is a pipe or a device, not a file`, {
    hint: "Move it away.",
  });
}

/**
 * Opens `path` to append to it; with "a+", to read from it as well. A new file is for its owner
 * alone, whatever the umask. An existing one keeps its mode, and is refused if it has a second
 * name, because the text would be written there too.
 */
export function openPrivateSync(path: FilePath, access: PrivateAccess): number {
  const descriptor = openOrMakeSync(path, accesses[access]);
  try {
    if (fstatSync(descriptor).nlink > 1) throw hasSecondName(path);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

export type PrivateAccess = keyof typeof accesses;

const accesses = { a: O_WRONLY | O_APPEND, "a+": O_RDWR | O_APPEND, "r+": O_RDWR };

function openOrMakeSync(path: FilePath, access: number): number {
  for (;;) {
    try {
      return openOwnSync(path, access);
    } catch (error) {
      if (!hasErrno(error, "ENOENT")) throw error;
    }
    const made = makeFileSync(path, access);
    if (made !== undefined) return made;
  }
}

/** Undefined if another process was faster. */
function makeFileSync(path: FilePath, access: number): number | undefined {
  try {
    const descriptor = openOwnSync(path, access | O_CREAT | O_EXCL);
    closeToOthers(descriptor, fileMode);
    return descriptor;
  } catch (error) {
    if (hasErrno(error, "EEXIST")) return undefined;
    throw error;
  }
}

/** Creates a file that does not exist yet, for its owner alone, to write to it. */
export async function makeFile(path: FilePath): Promise<FileHandle> {
  const flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
  const file = await at(path, (location) => open(location, flags, fileMode));
  try {
    await file.chmod(fileMode);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

function hasSecondName(path: FilePath): TeamError {
  const name = quoted(String(path));
  return new TeamError("team-unusable", `${path} is a file with a second hard link elsewhere`, {
    hint: `Writing to it would change that one too. Replace it by a copy: cp -p ${name} ${name}.own && mv ${name}.own ${name}`,
  });
}

/**
 * Restores the mode of a new file or directory that a umask has changed. If that fails, the
 * descriptor is closed.
 */
export function closeToOthers(descriptor: number, mode: number): void {
  try {
    if ((fstatSync(descriptor).mode & permissionBits) !== mode) fchmodSync(descriptor, mode);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
