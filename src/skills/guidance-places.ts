import { join } from "node:path";
import { contains } from "../lib/contains.ts";
import { isDirectory } from "../lib/is-there.ts";
import { directoriesBetween, repositoryRoot } from "../workspace/repository-root.ts";
import { Workspace } from "../workspace/workspace.ts";

/** Where a kind of files is looked for. */
export interface GuidancePlaces {
  /** The directory of the member. */
  workspace: Workspace;
  teamDirectory: string;
  /** Directories of a repository, from each of its directories on, in order of precedence. */
  below: readonly string[];
  /** The person's own directories, in order of precedence. */
  personal: readonly string[];
}

/** A directory that has such files. */
export interface GuidanceDirectory {
  readonly path: string;
  /** Out of which nothing in it leads. */
  readonly within: Workspace | "anywhere";
}

/**
 * The directories that exist: those of the repository, from the member's directory up to its root, then
 * the person's own. So the first one that has a name is the nearest.
 */
export async function guidanceDirectories(places: GuidancePlaces): Promise<GuidanceDirectory[]> {
  const { workspace, teamDirectory, below, personal } = places;
  const root = await rootOf(workspace);
  const levels = directoriesBetween(root, workspace.cwd).reverse();
  const own = await existing(levels.flatMap((level) => below.map((name) => join(level, name))));
  const isAbove = !contains(workspace.root, root);
  const within =
    isAbove && own.length > 0 ? await Workspace.open({ root, teamDirectory }) : workspace;
  const mine = (await existing(personal)).filter((path) => !own.includes(path));
  return [
    ...own.map((path) => ({ path, within })),
    ...mine.map((path) => ({ path, within: "anywhere" as const })),
  ];
}

/** Whether any of the directories exists. */
export async function hasGuidance({
  workspace,
  below,
  personal,
}: GuidancePlaces): Promise<boolean> {
  const levels = directoriesBetween(await rootOf(workspace), workspace.cwd);
  // Of `.troupe/skills`, the first part: nearly no repository has it.
  const tops = [...new Set(below.map((name) => name.split("/")[0] ?? name))];
  const paths = [...levels.flatMap((level) => tops.map((top) => join(level, top))), ...personal];
  return (await existing(paths)).length > 0;
}

/** The root of the repository where that begins above the workspace, otherwise the workspace's. */
async function rootOf(workspace: Workspace): Promise<string> {
  const repository = await repositoryRoot(workspace.cwd);
  const isAbove = repository !== undefined && !contains(workspace.root, repository);
  return isAbove ? repository : workspace.root;
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(isDirectory));
  return paths.filter((_, index) => found[index]);
}

/** False where a repository's directory is a link out of it. */
export async function isWithin({ path, within }: GuidanceDirectory): Promise<boolean> {
  return within === "anywhere" || (await within.locate(path)).isInside;
}
