import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { hasErrno, TeamError } from "../../errors.ts";
import { contains } from "../../lib/contains.ts";
import type { EnvironmentVariables } from "../../model/provider-settings.ts";
import { realPathOf } from "../../workspace/real-path.ts";
import { Workspace } from "../../workspace/workspace.ts";
import { systemEnvironment } from "../system-place.ts";
import type { TeamView } from "../view/team-view.ts";
import type { DiffStart } from "./changes.ts";
import { compareFile, type FileDiff, maxAllBytes, sizeOf } from "./compare-file.ts";
import { readCurrent } from "./current-file.ts";
import { findGitChanges } from "./git-changes.ts";
import { findTeamChanges } from "./team-changes.ts";

/** Which changes are asked for. */
export interface WorkspaceDiffOptions {
  /** The directory that the team works in. */
  workspace: string;
  /** A file or directory in it (default: all of it). */
  path?: string | undefined;
  /** Where git is found and what it is set to (default: the environment of this process). */
  env?: EnvironmentVariables | undefined;
}

/** What has changed in a workspace. */
export interface WorkspaceDiff {
  /**
   * Since when: the last commit; the last prompt of the person, outside of git and where git cannot be asked; or
   * `nothing`, where there is neither.
   */
  since: DiffStart;
  /** The files that differ, by path. */
  files: FileDiff[];
  /** How many more files differ, which are not listed. */
  more: number;
  /** What the person should know of it, each in a sentence. */
  notes: string[];
}

/**
 * What has changed in a workspace: in a git repository since the last commit, with new files that are not ignored;
 * elsewhere what the team's tools have changed since the last prompt of the person. Git is run so that nothing which
 * the repository's configuration names is started. Binary and very large files are only named.
 */
export async function workspaceDiff(
  view: TeamView,
  { workspace: root, path = ".", env = systemEnvironment() }: WorkspaceDiffOptions,
): Promise<WorkspaceDiff> {
  const teamDirectory = isAbsolute(view.location) ? view.location : resolve(root, ".team");
  const workspace = await openWorkspace(root, teamDirectory);
  const limit = await limitOf(workspace, path);
  const options = { root: workspace.root, limit, env };
  const inGit = await findGitChanges(options);
  const found = inGit.type === "found" ? inGit : await findTeamChanges(view, options);
  const why = inGit.type === "failed" ? [inGit.reason] : [];
  const realTeamDirectory = await realPathOf(teamDirectory);
  const files: FileDiff[] = [];
  let bytes = 0;
  for (const candidate of found.candidates) {
    const real = join(workspace.root, candidate.path);
    if (contains(realTeamDirectory, real)) continue;
    const after = await readCurrent(workspace, real);
    const file = compareFile({ ...candidate, after }, maxAllBytes - bytes);
    if (!file) continue;
    bytes += sizeOf(file);
    files.push(file);
  }
  const byPath = files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { since: found.since, files: byPath, more: found.more, notes: [...why, ...found.notes] };
}

async function openWorkspace(root: string, teamDirectory: string): Promise<Workspace> {
  try {
    return await Workspace.open({ root, teamDirectory });
  } catch (cause) {
    if (!hasErrno(cause, "ENOENT", "ENOTDIR")) throw cause;
    throw new TeamError("config-invalid", `${root} is not a directory`, {
      cause,
      hint: "Give as workspace the directory that the team works in.",
    });
  }
}

/** The path in the workspace to which the changes are limited; empty for all of it. */
async function limitOf({ root }: Workspace, path: string): Promise<string> {
  const real = await realPathOf(resolve(root, path));
  const limit = relative(root, real);
  if (limit !== ".." && !limit.startsWith(`..${sep}`) && !isAbsolute(limit)) return limit;
  throw new TeamError("path-refused", `${path} is not in the workspace ${root}`, {
    hint: "Give the path of a file or directory in it.",
  });
}
