import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { TeamError } from "../../errors.ts";
import { lineEdits } from "../../lib/line-edits.ts";
import type { EnvironmentVariables } from "../../model/provider-settings.ts";
import { realPathOf } from "../../workspace/real-path.ts";
import { Workspace } from "../../workspace/workspace.ts";
import { systemEnvironment } from "../system-place.ts";
import type { TeamPlace } from "../team-place.ts";
import { type Candidate, type DiffStart, isWithin, type VersionContent } from "./changes.ts";
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

/** What has changed in a file. */
export interface FileDiff {
  /** Its path in the workspace, with `/`. */
  path: string;
  /** What happened to it. */
  change: "added" | "changed" | "removed";
  /** Both texts, empty where there was no file; undefined for a file that is only named. */
  texts: { before: string; after: string } | undefined;
  /** Why it is only named, such as `binary`. */
  reason: string | undefined;
  /** How many lines were added. */
  added: number;
  /** How many lines were removed. */
  removed: number;
}

/** Beyond so much, files are only named. */
const maxAllBytes = 16 * 1024 * 1024;

/**
 * What has changed in a workspace: in a git repository since the last commit, with new files that are not ignored;
 * elsewhere what the team's tools have changed since the last prompt of the person. Git is run so that nothing which
 * the repository's configuration names is started. Binary and very large files are only named.
 */
export async function workspaceDiff(
  place: TeamPlace,
  { workspace: root, path = ".", env = systemEnvironment() }: WorkspaceDiffOptions,
): Promise<WorkspaceDiff> {
  const workspace = await Workspace.open({ root, teamDirectory: place.directory });
  const limit = await limitOf(workspace, path);
  const options = { root: workspace.root, limit, env };
  const inGit = await findGitChanges(options);
  const found = inGit.type === "found" ? inGit : await findTeamChanges(place, options);
  const why = inGit.type === "failed" ? [inGit.reason] : [];
  const teamDirectory = await realPathOf(resolve(root, place.directory));
  const files: FileDiff[] = [];
  let bytes = 0;
  for (const candidate of found.candidates) {
    const real = join(workspace.root, candidate.path);
    if (isWithin(teamDirectory, real)) continue;
    const after = await readCurrent(workspace, real);
    const file = compare(candidate, after, maxAllBytes - bytes);
    if (!file) continue;
    bytes += (file.texts?.before.length ?? 0) + (file.texts?.after.length ?? 0);
    files.push(file);
  }
  const byPath = files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { since: found.since, files: byPath, more: found.more, notes: [...why, ...found.notes] };
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

/** Undefined where the file is as it was. */
function compare(
  { path, before }: Candidate,
  after: VersionContent,
  room: number,
): FileDiff | undefined {
  if (before.type === "missing" && after.type === "missing") return undefined;
  const change =
    before.type === "missing" ? "added" : after.type === "missing" ? "removed" : "changed";
  const named = (reason: string): FileDiff => ({
    ...{ path, change, reason, texts: undefined, added: 0, removed: 0 },
  });
  for (const content of [before, after]) {
    if (content.type === "unknown") return named(content.reason);
  }
  const [old, young] = [bytesOf(before), bytesOf(after)];
  if (change === "changed" && old.equals(young)) return undefined;
  if (isBinary(old) || isBinary(young)) return named("binary");
  if (old.length + young.length > room) return named("there is too much to show");
  const texts = { before: old.toString("utf8"), after: young.toString("utf8") };
  return { path, change, texts, reason: undefined, ...counted(texts) };
}

function bytesOf(content: VersionContent): Buffer {
  return content.type === "content" ? content.bytes : Buffer.alloc(0);
}

/** As git judges it: by a zero byte near the beginning. */
function isBinary(bytes: Buffer): boolean {
  return bytes.subarray(0, 8_000).includes(0);
}

function counted({ before, after }: { before: string; after: string }) {
  const edits = lineEdits(linesOf(before), linesOf(after));
  const count = (type: string) => edits.filter((edit) => edit.type === type).length;
  return { added: count("added"), removed: count("removed") };
}

/** With their ends, so that a newline that is missing counts. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
