import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { onErrno } from "../errors.ts";

/**
 * What is in the place where a file is to be made, or above it, and is not among the paths that are removed before; undefined
 * where the way is free. Paths are relative to `top`.
 */
export async function inTheWayOf(
  path: string,
  { top, removed }: { top: string; removed: ReadonlySet<string> },
): Promise<string | undefined> {
  const parts = path.split("/");
  for (let count = 1; count <= parts.length; count++) {
    const place = parts.slice(0, count).join("/");
    if (removed.has(place)) return undefined;
    const found = await lstat(join(top, place)).catch(onErrno(undefined, "ENOENT", "ENOTDIR"));
    if (!found) return undefined;
    if (!found.isDirectory()) return place;
  }
  return await unknownBelow(path, { top, removed });
}

/** A file in a directory that is to become a file. */
async function unknownBelow(
  directory: string,
  { top, removed }: { top: string; removed: ReadonlySet<string> },
): Promise<string | undefined> {
  for (const entry of await readdir(join(top, directory), { withFileTypes: true })) {
    const place = `${directory}/${entry.name}`;
    const unknown = entry.isDirectory()
      ? await unknownBelow(place, { top, removed })
      : removed.has(place)
        ? undefined
        : place;
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}
