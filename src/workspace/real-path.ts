import { readlink, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { hasErrno, onErrno, TeamError } from "../errors.ts";

/** As many links as Linux itself follows in one path. */
const maxLinks = 40;

/**
 * The target of an absolute path when every link is followed, also of one that does not exist yet:
 * a link to a missing file leads to where that file would be created. Throws `path-refused` if it
 * leads nowhere.
 */
export async function realPathOf(absolute: string): Promise<string> {
  try {
    return await follow(absolute);
  } catch (error) {
    const problem = problems.find(([code]) => hasErrno(error, code));
    if (!problem) throw error;
    throw new TeamError("path-refused", `${absolute} ${problem[1]}`, { cause: error });
  }
}

const problems = [
  ["ELOOP", "is a link that leads to itself"],
  ["ENAMETOOLONG", "has too long a name"],
  ["EACCES", "cannot be reached: permission denied"],
] as const;

async function follow(absolute: string): Promise<string> {
  const missing: string[] = [];
  let path = absolute;
  let links = 0;
  for (;;) {
    const real = await realpath(path).catch(onErrno(undefined, "ENOENT", "ENOTDIR"));
    if (real !== undefined) return join(real, ...missing);
    // Not a link: EINVAL.
    const target = await readlink(path).catch(onErrno(undefined, "ENOENT", "ENOTDIR", "EINVAL"));
    if (target === undefined) {
      missing.unshift(basename(path));
      path = dirname(path);
    } else if (++links > maxLinks) {
      throw new TeamError("path-refused", `${absolute} is a link that leads to itself`);
    } else {
      path = resolve(await realpath(dirname(path)), target);
    }
  }
}
