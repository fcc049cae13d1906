import { mkdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { onErrno } from "../errors.ts";
import { contains } from "../lib/contains.ts";

/**
 * Makes a directory of a checkout, with its parents, and returns where it really is. Undefined where a file is in the way, or
 * a link that leads out of the checkout: nothing is made behind such a link.
 */
export async function directoryIn(checkout: string, path: string): Promise<string | undefined> {
  const top = await realpath(checkout);
  let directory = top;
  for (const part of path.split(sep).filter((it) => it !== "" && it !== ".")) {
    const next = join(directory, part);
    await mkdir(next).catch(onErrno(undefined, "EEXIST"));
    const real = await realpath(next).catch(onErrno(undefined, "ENOENT", "ELOOP"));
    if (real === undefined || !contains(top, real) || !(await stat(real)).isDirectory()) {
      return undefined;
    }
    directory = real;
  }
  return directory;
}
