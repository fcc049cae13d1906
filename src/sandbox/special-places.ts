import { lstat, readdir, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { contains } from "../lib/contains.ts";
import { orNothing } from "../lib/or-nothing.ts";
import { hostSockets } from "./host-sockets.ts";
import type { Confinement } from "./sandbox.ts";

/** Directories of this machine that commands have their own of. */
const replaced = ["/tmp", "/run", "/var/tmp", "/var/run", "/home", "/root", "/dev", "/proc"];

/** In these are the system's programs, or what every command has of its own. A trial sees no others at the top. */
const systemDirectories = `bin boot dev etc lib lib32 lib64 libx32 nix opt proc run sbin snap sys
  tmp usr var Applications Library System cores private`.split(/\s+/);

/** Places in the system's directories that belong to persons. */
const personalPlaces = `/etc/shadow /etc/gshadow /etc/sudoers /etc/ssh /etc/ssl/private /var/backups
  /var/log /var/mail /var/spool /var/www`.split(/\s+/);

export interface Reach {
  /** Files and directories in writable places that stay as they are. */
  protects: readonly string[];
  isReadOnly?: boolean;
  /** Only with `isReadOnly`. */
  isTrial?: boolean;
}

/** A place in the sandbox that is not as its surroundings are. */
export interface SpecialPlace {
  readonly path: string;
  readonly kind: "hidden" | "writable" | "read-only";
}

/** Where what a command may do is another thing than around it, each behind those that it is in. */
export async function specialPlaces(
  confinement: Confinement,
  { protects, isReadOnly = false, isTrial = false, home }: Reach & { home: string },
): Promise<SpecialPlace[]> {
  const writable = await writablePlaces(confinement.writable);
  // Read-only files do not keep a program from writing to a server.
  const isOwn = (path: string) =>
    !isReadOnly && writable.some((directory) => contains(directory, path));
  const sockets = (await hostSockets()).filter((path) => !isOwn(path));
  // A member can make a link of what is in its own places.
  const programs = (confinement.programs ?? []).filter(
    (path) => ![...writable, ...confinement.writable].some((place) => contains(place, path)),
  );
  const readable = await realPathsOf([...confinement.readable, ...(isTrial ? programs : [])]);
  const others = isTrial ? [home, ...personalPlaces, ...(await otherDirectories())] : [];
  const hidden = (await realPathsOf([...confinement.hidden, ...others, ...sockets])).filter(
    (path) =>
      [home, ...readable, ...writable].some((place) => contains(place, path)) || !isReplaced(path),
  );
  const open = inOrder([
    ...ofKind("read-only", readable),
    ...ofKind("hidden", hidden),
    ...ofKind("writable", writable),
  ]);
  const isHidden = (path: string) =>
    open.findLast((place) => contains(place.path, path))?.kind === "hidden";
  // What is hidden must not come back because it is protected, too.
  const unchanged = (await realPathsOf(protects)).filter(
    (path) => !isHidden(path) && !hidden.includes(path),
  );
  const places = inOrder([...open, ...ofKind("read-only", unchanged)]);
  const kindAt = (path: string) => places.findLast((place) => contains(place.path, path))?.kind;
  // A directory on the way to such a place could otherwise be renamed: the next command would find what was hidden in it, or
  // put something else in its place.
  const above = [...hidden, ...readable]
    .flatMap(directoriesAbove)
    .filter((path) => kindAt(path) === "writable");
  return inOrder([...ofKind("writable", [...new Set(above)]), ...places]);
}

/** All directories that contain it, but for the root. */
function directoriesAbove(path: string): string[] {
  const directory = dirname(path);
  return directory === "/" ? [] : [...directoriesAbove(directory), directory];
}

/**
 * Without those that a link in another one leads to: a command may have made it, and could give itself any directory. What
 * is really in another one can be written all the same.
 */
async function writablePlaces(paths: readonly string[]): Promise<string[]> {
  const found = await realPathsOf(paths);
  if (found.length < 2) return found;
  const kept = await Promise.all(
    paths.map(async (path) => ((await isLinkedIn(path, found)) ? [] : [path])),
  );
  return realPathsOf(kept.flat());
}

/** True if a link that is on the way to a path is in one of the directories. */
async function isLinkedIn(path: string, directories: readonly string[]): Promise<boolean> {
  for (const step of [...directoriesAbove(path), path]) {
    const found = await orNothing(lstat(step), undefined);
    if (!found?.isSymbolicLink()) continue;
    const place = await orNothing(realpath(dirname(step)), dirname(step));
    if (directories.some((directory) => contains(directory, place))) return true;
  }
  return false;
}

/** Directories at the top that are not the system's. */
async function otherDirectories(): Promise<string[]> {
  const names = await readdir("/");
  return names.filter((name) => !systemDirectories.includes(name)).map((name) => `/${name}`);
}

function ofKind(kind: SpecialPlace["kind"], paths: readonly string[]): SpecialPlace[] {
  return paths.map((path) => ({ path, kind }));
}

/** Each place once, by its last kind, and behind those that it is in. */
function inOrder(places: readonly SpecialPlace[]): SpecialPlace[] {
  const depth = ({ path }: SpecialPlace) => (path === "/" ? 0 : path.split("/").length);
  const byPath = new Map(places.map((place) => [place.path, place]));
  return [...byPath.values()].sort((a, b) => depth(a) - depth(b));
}

/** Where the paths lead, as bubblewrap mounts on no link, without those that are missing. */
async function realPathsOf(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => orNothing(realpath(path), undefined)));
  return [...new Set(found.filter((path) => path !== undefined))];
}

export function isReplaced(path: string): boolean {
  return replaced.some((directory) => contains(directory, path));
}
