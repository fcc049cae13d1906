import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats } from "node:fs";
import { hasErrno, TeamError } from "../errors.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;

/** Opens a directory that is this user's own. `shown` is its path in error messages. */
export function openDirectory(path: string, shown: string): number {
  const descriptor = openUnlinked(path, shown);
  try {
    requireOwnDirectory(fstatSync(descriptor), shown);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function openUnlinked(path: string, shown: string): number {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (error) {
    // Which of the two errors a link gives depends on the system.
    if (!hasErrno(error, "ELOOP", "ENOTDIR")) throw named(error, path, shown);
    const found = lstatSync(path, { throwIfNoEntry: false });
    throw found?.isSymbolicLink() ? isLink(shown) : named(error, path, shown);
  }
}

/**
 * Throws unless the directory with these `stats` belongs to this user, and nobody else can write to
 * it.
 */
export function requireOwnDirectory(stats: Stats, shown: string): void {
  requireOwner(stats, shown);
  if ((stats.mode & 0o022) === 0) return;
  throw new TeamError("team-unusable", `Other users can write to ${shown}`, {
    hint: `Check that nothing in it is from another user, then run: chmod go-w ${quoted(shown)}`,
  });
}

/** Throws unless the file with these `stats` belongs to the user of this process. */
export function requireOwner({ uid }: Pick<Stats, "uid">, shown: string): void {
  const own = process.geteuid?.();
  if (own === undefined || uid === own) return;
  throw new TeamError(
    "team-unusable",
    `${shown} belongs to another user (uid ${uid}; you are ${own})`,
    { hint: "Move it away, or choose another directory with --team-dir." },
  );
}

export function isLink(shown: string): TeamError {
  return new TeamError(
    "team-unusable",
    `${shown} is a symbolic link, which troupe does not follow here`,
    {
      hint: "Move it away, or choose another directory with --team-dir.",
    },
  );
}

/** `path` for a shell. */
export function quoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The same system error, with the path that a person knows. */
export function named(error: unknown, location: string, shown: string): unknown {
  if (!(error instanceof Error) || !("errno" in error) || location === shown) return error;
  error.message = error.message.replaceAll(location, shown);
  for (const key of ["path", "dest"] as const) {
    const path: unknown = Reflect.get(error, key);
    if (typeof path === "string") Reflect.set(error, key, path.replace(location, shown));
  }
  return error;
}
