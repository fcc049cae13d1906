import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { orNothing } from "../../lib/or-nothing.ts";
import type { Place } from "../../workspace/place.ts";
import { isAboveProtected, isProtected } from "../protected-paths.ts";
import type { PathUse } from "./assess.ts";

/** A folder with more entries asks. */
const mostEntries = 2_000;

type Arrival = PathUse & { readonly place: Place };

/**
 * Why a file or folder must not arrive at a place unasked: something in it would become a file that
 * makes other programs run code, or is a link, which some systems copy as what it leads to.
 */
export async function arrivalProblem(
  uses: readonly Arrival[],
  directory: Place,
  programDirectories: readonly string[],
): Promise<string | undefined> {
  for (const { arriving, place } of uses) {
    if (arriving === undefined) continue;
    const source = pathFrom(directory, arriving);
    const problem = await problemOf(source, place, programDirectories);
    if (problem) return problem;
  }
  return undefined;
}

/** True when plain files arrive, and nothing that later paths could lead through. */
export async function bringsFilesOnly(
  uses: readonly Arrival[],
  directory: Place,
): Promise<boolean> {
  const sources = uses.flatMap(({ arriving }) => (arriving === undefined ? [] : [arriving]));
  const kinds = await Promise.all(sources.map((path) => kindOf(pathFrom(directory, path))));
  return kinds.length > 0 && kinds.every((kind) => kind === "file");
}

/** The path unchanged, for the system to follow. */
function pathFrom({ real }: Place, path: string): string {
  return path.startsWith("/") ? path : `${real}/${path}`;
}

async function problemOf(
  source: string,
  target: Place,
  programDirectories: readonly string[],
): Promise<string | undefined> {
  const kind = await kindOf(source);
  if (kind === "file") return undefined;
  if (isAboveProtected(target)) return "it may bring files that make other programs run code";
  // The target of a link depends on its place.
  if (kind === "link") return "it brings a link";
  if (kind !== "folder") return undefined;
  const entries = await entriesOf(source);
  if (!entries || entries.length > mostEntries) return "it brings more files than can be looked at";
  for (const { parentPath, name } of entries) {
    const below = `${parentPath}/${name}`.slice(source.length);
    const place = {
      ...target,
      real: `${target.real}${below}`,
      relative: target.relative === undefined ? undefined : `${target.relative}${below}`,
    };
    if (isProtected(place, programDirectories))
      return `it would bring ${name}, which can make other programs run code`;
  }
  return entries.some((entry) => entry.isSymbolicLink()) ? "it brings links" : undefined;
}

/** The kind of file; a missing one is `other`, too. */
export async function kindOf(path: string): Promise<"file" | "folder" | "link" | "other"> {
  const found = await orNothing(lstat(path), undefined);
  if (found?.isSymbolicLink()) return "link";
  return found?.isDirectory() ? "folder" : found?.isFile() ? "file" : "other";
}

/** The links under a folder; undefined if not all of them can be found. */
export async function linksBelow(folder: string): Promise<string[] | undefined> {
  const entries = await entriesOf(folder);
  if (!entries || entries.length > mostEntries) return undefined;
  return entries
    .filter((entry) => entry.isSymbolicLink())
    .map(({ parentPath, name }) => `${parentPath}/${name}`);
}

/** Everything under a folder; undefined if it cannot be listed. */
async function entriesOf(folder: string): Promise<Dirent[] | undefined> {
  const found: Dirent[] = [];
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = await orNothing(readdir(next, { withFileTypes: true }), undefined);
    if (!entries) return undefined;
    found.push(...entries);
    for (const entry of entries) if (entry.isDirectory()) folders.push(`${next}/${entry.name}`);
    if (found.length > mostEntries) break;
  }
  return found;
}
