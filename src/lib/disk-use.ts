import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { onErrno } from "../errors.ts";

/** So many files are looked at side by side. */
const atOnce = 64;
const blockBytes = 512;

/**
 * The disk space of a directory, in bytes: a file with several names counts once, links are not followed, and what
 * cannot be read or disappears meanwhile does not count.
 */
export async function diskUse(path: string): Promise<number> {
  const seen = new Set<string>();
  let bytes = 0;
  const waiting = [path];
  const take = async (place: string) => {
    const stats = await lstat(place).catch(onErrno(undefined, ...unreadable));
    if (!stats) return;
    const key = `${stats.dev}:${stats.ino}`;
    if (stats.nlink > 1 && !stats.isDirectory()) {
      if (seen.has(key)) return;
      seen.add(key);
    }
    bytes += stats.blocks * blockBytes;
    if (!stats.isDirectory()) return;
    const names = await readdir(place).catch(onErrno([], ...unreadable));
    for (const name of names) waiting.push(join(place, name));
  };
  while (waiting.length > 0) await Promise.all(waiting.splice(-atOnce).map(take));
  return bytes;
}

const unreadable = ["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"];
