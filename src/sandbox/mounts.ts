import { lstat, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { contains } from "../lib/contains.ts";
import { orNothing } from "../lib/or-nothing.ts";
import type { Mounted } from "./checked-start.ts";
import type { Confinement } from "./sandbox.ts";
import { isReplaced, type Reach, type SpecialPlace, specialPlaces } from "./special-places.ts";

export interface Mounts {
  readonly arguments: readonly string[];
  /** The places among them that are in a directory which commands can write, and could replace. */
  readonly exposed: readonly Mounted[];
}

/**
 * The arguments by which bubblewrap mounts what a command sees. A mount covers those before it that are below it, so
 * what is below another place comes behind it: a hidden place stays hidden in a workspace that contains it, and
 * a workspace in a hidden place can be written.
 */
export async function mounts(confinement: Confinement, reach: Reach): Promise<Mounts> {
  const { isReadOnly = false, isTrial = false } = reach;
  const home = await orNothing(realpath(confinement.home), confinement.home);
  const found = await specialPlaces(confinement, { ...reach, home });
  const isRoot = ({ path }: SpecialPlace) => path === "/";
  const inner = found.filter((place) => !isRoot(place));
  const base = found.some(isRoot) && !isReadOnly ? "--bind" : "--ro-bind";
  const mounted = await Promise.all(
    inner.map((place) => mountOf(isReadOnly ? readOnly(place) : place)),
  );
  const exposed = inner.flatMap(({ path }, index) => {
    const [kind, from] = mounted[index] ?? [];
    if (kind === undefined || !isBelowWritable(path, found)) return [];
    return [{ path, from: kind === "--tmpfs" ? undefined : from }];
  });
  const all = [
    ...[base, "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // As root, a program could otherwise have the kernel start one outside, by the core pattern.
    ...["--ro-bind", "/proc/sys", "/proc/sys"],
    ...["--bind", confinement.temporary, "/tmp"],
    ...["--tmpfs", "/run", "--tmpfs", "/var/tmp"],
    ...["--tmpfs", "/home", "--tmpfs", "/root"],
    ...(isTrial ? [] : ["--ro-bind-try", home, home, ...(await linkTo(home, confinement.home))]),
    ...mounted.flat(),
    // Only now: bubblewrap makes directories in it for what is mounted below.
    ...(isReadOnly ? ["--remount-ro", "/tmp"] : []),
  ];
  return { arguments: all, exposed };
}

function isBelowWritable(path: string, places: readonly SpecialPlace[]): boolean {
  return places.some(
    (place) => place.kind === "writable" && place.path !== path && contains(place.path, path),
  );
}

/** A home directory that is a link has vanished with the directory that it was in. */
async function linkTo(home: string, link: string): Promise<string[]> {
  if (home === link || !isReplaced(link)) return [];
  const directory = dirname(link);
  if ((await orNothing(realpath(directory), undefined)) !== directory) return [];
  return ["--symlink", home, link];
}

function readOnly({ path, kind }: SpecialPlace): SpecialPlace {
  return { path, kind: kind === "writable" ? "read-only" : kind };
}

async function mountOf({ path, kind }: SpecialPlace): Promise<string[]> {
  if (kind === "writable") return ["--bind", path, path];
  if (kind === "read-only") return ["--ro-bind-try", path, path];
  // An empty directory, or an empty file, in its place.
  const found = await orNothing(lstat(path), undefined);
  if (!found) return [];
  return found.isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}
