import { statSync } from "node:fs";
import { type FilePath, locationOf } from "./file-path.ts";

/** A text that differs after each change of a file; undefined if the file is missing. */
export function appearanceOf(path: FilePath): string | undefined {
  const stats = statSync(locationOf(path), { bigint: true, throwIfNoEntry: false });
  return stats && describeAppearance(stats);
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
