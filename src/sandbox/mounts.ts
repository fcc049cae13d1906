import { lstat, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { orNothing } from "../lib/or-nothing.ts";
import { hostSockets } from "./host-sockets.ts";
import type { Confinement } from "./sandbox.ts";

/** Directories of this machine that commands have their own of. */
const replaced = ["/tmp", "/run", "/var/tmp", "/var/run", "/home", "/root", "/dev", "/proc"];

/** A place in the sandbox that is not as its surroundings are. Where two are the same, the later kind holds. */
interface SpecialPlace {
  readonly path: string;
  readonly kind: "hidden" | "writable" | "read-only";
}

/**
 * The arguments by which bubblewrap mounts what a command sees. A mount covers those before it that are below it, so
 * what is below another place comes behind it: a hidden place stays hidden in a workspace that contains it, and
 * a workspace in a hidden place can be written.
 */
export async function mounts(
  confinement: Confinement,
  { protects, isReadOnly = false }: { protects: readonly string[]; isReadOnly?: boolean },
): Promise<string[]> {
  const home = await orNothing(realpath(confinement.home), confinement.home);
  const found = await specialPlaces(confinement, { protects, home });
  const places = isReadOnly ? found.map(readOnly) : found;
  const base = places.some(({ path }) => path === "/") ? "--bind" : "--ro-bind";
  return [
    ...[base, "/", "/", "--dev", "/dev", "--proc", "/proc"],
    // As root, a program could otherwise have the kernel start one outside, by the core pattern.
    ...["--ro-bind", "/proc/sys", "/proc/sys"],
    ...[isReadOnly ? "--ro-bind" : "--bind", confinement.temporary, "/tmp"],
    ...["--tmpfs", "/run", "--tmpfs", "/var/tmp"],
    ...["--tmpfs", "/home", "--tmpfs", "/root", "--ro-bind-try", home, home],
    ...(await linkTo(home, confinement.home)),
    ...(await Promise.all(places.filter(({ path }) => path !== "/").map(mountOf))).flat(),
  ];
}

/** A home directory that is a link has vanished with the directory that it was in. */
async function linkTo(home: string, link: string): Promise<string[]> {
  if (home === link || !isReplaced(link)) return [];
  const directory = dirname(link);
  if ((await orNothing(realpath(directory), undefined)) !== directory) return [];
  return ["--symlink", home, link];
}

/** In the order in which they are mounted. */
async function specialPlaces(
  confinement: Confinement,
  { protects, home }: { protects: readonly string[]; home: string },
): Promise<SpecialPlace[]> {
  const writable = await realPathsOf(confinement.writable);
  const isOwn = (path: string) => writable.some((directory) => contains(directory, path));
  const sockets = (await hostSockets()).filter((path) => !isOwn(path));
  const readable = await realPathsOf(confinement.readable);
  const hidden = (await realPathsOf([...confinement.hidden, ...sockets])).filter(
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
  return inOrder([...open, ...ofKind("read-only", unchanged)]);
}

function readOnly({ path, kind }: SpecialPlace): SpecialPlace {
  return { path, kind: kind === "writable" ? "read-only" : kind };
}

function ofKind(kind: SpecialPlace["kind"], paths: readonly string[]): SpecialPlace[] {
  return paths.map((path) => ({ path, kind }));
}

function inOrder(places: readonly SpecialPlace[]): SpecialPlace[] {
  const depth = ({ path }: SpecialPlace) => (path === "/" ? 0 : path.split("/").length);
  return [...places].sort((a, b) => depth(a) - depth(b));
}

/** Where the paths lead, as bubblewrap mounts on no link, without those that are missing. */
async function realPathsOf(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => orNothing(realpath(path), undefined)));
  return [...new Set(found.filter((path) => path !== undefined))];
}

async function mountOf({ path, kind }: SpecialPlace): Promise<string[]> {
  if (kind === "writable") return ["--bind", path, path];
  if (kind === "read-only") return ["--ro-bind-try", path, path];
  // An empty directory, or an empty file, in its place.
  const found = await orNothing(lstat(path), undefined);
  if (!found) return [];
  return found.isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

function isReplaced(path: string): boolean {
  return replaced.some((directory) => contains(directory, path));
}

function contains(directory: string, path: string): boolean {
  return path === directory || directory === "/" || path.startsWith(`${directory}/`);
}
