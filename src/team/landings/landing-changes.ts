import { TeamError } from "../../errors.ts";
import { type ChangedPath, changedPaths, submoduleMode } from "../../git/changed-paths.ts";
import type { Git } from "../../git/git.ts";
import { readRef } from "../../git/refs.ts";
import { targetRef } from "../../landing/target.ts";
import type { Landing } from "../../protocol/landing.ts";
import { maxFiles, type VersionContent } from "../diff/changes.ts";
import { compareFile, type FileDiff, maxAllBytes, sizeOf } from "../diff/compare-file.ts";
import { readObjects } from "../diff/git-objects.ts";

/** What a landing would change in its target, or has changed there. */
export interface LandingChanges {
  /** The landing, as it was then. */
  landing: Landing;
  /** The files that differ, by path. */
  files: FileDiff[];
  /** How many more files differ, which are not listed. */
  more: number;
}

const linkMode = "120000";

/**
 * What a landing has landed, or what its member has done since it knows the target. Throws `repository-unusable` where
 * the repository no longer has the work.
 */
export async function findLandingChanges(git: Git, landing: Landing): Promise<LandingChanges> {
  const [before, after] = await comparedCommits(git, landing);
  const changed = await changedPaths(git, [before, after]);
  const shown = changed.slice(0, maxFiles);
  const contents = await readObjects(git, objectsOf(shown));
  const files: FileDiff[] = [];
  let bytes = 0;
  for (const each of shown) {
    const versions = [0, 1].map((side) => versionOf(each, side as 0 | 1, contents));
    const [old = missing, fresh = missing] = versions;
    const room = maxAllBytes - bytes;
    const file =
      compareFile({ path: each.path, before: old, after: fresh }, room) ?? modeOnly(each);
    bytes += sizeOf(file);
    files.push(file);
  }
  return { landing, files, more: changed.length - shown.length };
}

/** The commits between which the landing's own changes are. */
async function comparedCommits(
  git: Git,
  { id, ref, state, onto, merge_commit, base, commit, target }: Landing,
): Promise<[string, string]> {
  if ((await readRef(git, commit)) === undefined) {
    throw new TeamError("repository-unusable", `The commit of landing ${id} is gone: ${commit}`, {
      hint: `The ref that kept it, ${ref}, was removed.`,
    });
  }
  if (state === "landed") return onto && merge_commit ? [onto, merge_commit] : [base, commit];
  const tip = await readRef(git, targetRef(target));
  if (tip === undefined) return [base, commit];
  const common = await git.run(["merge-base", tip, commit]);
  return [common.code === 0 ? common.output.toString("utf8").trim() : base, commit];
}

const missing: VersionContent = { type: "missing" };

function objectsOf(changed: readonly ChangedPath[]): string[] {
  const objects = changed.flatMap(({ objects: both }) => both);
  return [...new Set(objects.filter((object) => !/^0+$/.test(object)))];
}

function versionOf(
  { modes, objects }: ChangedPath,
  side: 0 | 1,
  contents: ReadonlyMap<string, VersionContent>,
): VersionContent {
  const mode = modes[side];
  if (/^0+$/.test(mode)) return missing;
  if (mode === submoduleMode) return { type: "unknown", reason: "a submodule" };
  if (mode === linkMode) return { type: "unknown", reason: "a link" };
  return contents.get(objects[side]) ?? { type: "unknown", reason: "its content is missing" };
}

function modeOnly({ path, modes }: ChangedPath): FileDiff {
  const reason = `mode ${modes[0]} becomes ${modes[1]}`;
  return { path, change: "changed", texts: undefined, reason, added: 0, removed: 0 };
}
