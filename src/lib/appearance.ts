import { stat } from "node:fs/promises";
import { onErrno } from "../errors.ts";
import { type FilePath, locationOf } from "./file-path.ts";

/** A text that differs after each change of a file; undefined if the file is missing. */
export async function appearanceOf(path: FilePath): Promise<string | undefined> {
  const stats = stat(locationOf(path), { bigint: true });
  return stats.then(describeAppearance).catch(onErrno(undefined, "ENOENT"));
}

interface Appearance {
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
}

export function describeAppearance({ ino, size, mtimeNs }: Appearance): string {
  return `${ino} ${size} ${mtimeNs}`;
}

/** Distinguishes a file from one that replaces it: the number of an inode alone is used again. */
export function identityOf({ ino, birthtimeNs }: { ino: bigint; birthtimeNs: bigint }): string {
  return `${ino.toString(36)}-${birthtimeNs.toString(36)}`;
}
