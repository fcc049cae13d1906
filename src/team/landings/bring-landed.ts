import { access } from "node:fs/promises";
import { join } from "node:path";
import { onErrno, TeamError } from "../../errors.ts";
import { isAncestor } from "../../git/ancestry.ts";
import { type ChangedPath, changedPaths, submoduleMode } from "../../git/changed-paths.ts";
import type { Git } from "../../git/git.ts";
import { mergeTrees } from "../../git/merge.ts";
import { readRef } from "../../git/refs.ts";
import type { Repository } from "../../git/repository.ts";
import { targetRef } from "../../landing/target.ts";
import { unlessDiskFails } from "../../lib/unless-disk-fails.ts";
import { type LeftFile, placeFiles } from "./place-files.ts";

/** What came of bringing a target to the branch that the person has checked out. */
export type BroughtWork = {
  /** The branch that work has landed on. */
  target: string;
  /** The branch that is checked out. */
  branch: string;
} & (
  | {
      /** The branch has all of it already. */
      type: "nothing";
    }
  | {
      /** The branch and its files have it now. */
      type: "brought";
      /** The files that have changed, by path. */
      files: string[];
      /** True where a merge was made, because the branch had more than the target. */
      isMerge: boolean;
    }
  | {
      /** It cannot be merged with what the branch has. Nothing has changed. */
      type: "conflict";
      /** The files in conflict. */
      files: string[];
    }
  | {
      /** Files of the person would be lost. The branch has not moved. */
      type: "blocked";
      /** Those files, which stay as they are, each with the reason. */
      files: LeftFile[];
      /** How many other files have been written before one of these was changed: the next try finds them done. */
      written: number;
    }
);

export interface BringOptions {
  /** In the person's repository, with its files. */
  git: Git;
  repository: Repository;
  target: string;
  signal?: AbortSignal | undefined;
}

/**
 * Brings what has landed on a target to the branch that is checked out, and to its files: each file only if it is what git
 * last knew, so that no work of the person is lost. First the files, one by one and each whole, then the index, then the
 * branch: after a crash, to repeat it does the rest. Throws `landing-refused` where nothing can be brought.
 */
export async function bringLanded(options: BringOptions): Promise<BroughtWork> {
  const { git, repository, target } = options;
  const branch = await requireReady(options);
  const about = { target, branch };
  const { head } = repository;
  const tip = await readRef(git, targetRef(target));
  if (tip === undefined) {
    throw new TeamError("landing-refused", `There is no branch ${target} in ${repository.top}`, {
      hint: "Start where the team works, or say where that is: --cwd.",
    });
  }
  if (await isAncestor(git, tip, head)) return { ...about, type: "nothing" };
  const isMerge = !(await isAncestor(git, head, tip));
  const merged = isMerge ? await merge(options, { head, tip, branch }) : tip;
  if (typeof merged !== "string") return { ...about, type: "conflict", files: merged.files };
  const changed = await changedPaths(git, [head, merged]);
  const blocked = await blockedInGit(git, changed);
  if (blocked.length > 0) return { ...about, type: "blocked", files: blocked, written: 0 };
  const { left, written } = await unlessDiskFails("landing-refused", () =>
    placeFiles({ ...options, commit: merged, changed }),
  );
  if (left.length > 0) return { ...about, type: "blocked", files: left, written };
  await moveBranch(options, { changed, from: head, to: merged });
  return { ...about, type: "brought", files: changed.map(({ path }) => path), isMerge };
}

/** Undertakings of git that a moved branch would confuse. */
const undertakings: readonly (readonly [file: string, name: string])[] = [
  ["MERGE_HEAD", "A merge"],
  ["CHERRY_PICK_HEAD", "A cherry-pick"],
  ["REVERT_HEAD", "A revert"],
  ["rebase-merge", "A rebase"],
  ["rebase-apply", "A rebase"],
  ["index.lock", "Another git command"],
];

/** The name of the branch that is checked out. */
async function requireReady({ git, repository, target }: BringOptions): Promise<string> {
  const { top, gitDirectory, branch } = repository;
  if (branch === undefined) {
    throw new TeamError("landing-refused", `No branch is checked out in ${top}`, {
      hint: "Check out the branch that is to have the work (git switch).",
    });
  }
  for (const [file, name] of undertakings) {
    const isThere = access(join(gitDirectory, file)).then(() => true);
    if (!(await isThere.catch(onErrno(false, "ENOENT", "ENOTDIR")))) continue;
    throw new TeamError("landing-refused", `${name} is in progress in ${top}`, {
      hint: `Finish or abort it, and try again. (${join(gitDirectory, file)} is there.)`,
    });
  }
  const sparse = await git.run(["config", "--type=bool", "--get", "core.sparseCheckout"]);
  if (sparse.output.toString("utf8").trim() === "true") {
    throw new TeamError("landing-refused", `Only a part of the files is checked out in ${top}`, {
      hint: `Git itself knows which: git merge ${target}`,
    });
  }
  return branch.replace(/^refs\/heads\//, "");
}

/** The merge of the branch and the target, made by the person; or the files in conflict. */
async function merge(
  { git, target }: BringOptions,
  { head, tip, branch }: { head: string; tip: string; branch: string },
): Promise<string | { files: string[] }> {
  const result = await mergeTrees(git, [head, tip]);
  if (result.type === "conflict") return { files: result.files };
  if ((await git.run(["var", "GIT_COMMITTER_IDENT"])).code !== 0) {
    throw new TeamError("landing-refused", "Git does not know whose merge this is", {
      hint: "git config --global user.name and user.email say who you are.",
    });
  }
  const argv = ["commit-tree", result.tree, "-p", head, "-p", tip];
  return await git.text(argv, { input: `Merge branch '${target}' into ${branch}\n` });
}

/** What git cannot do here without programs of the repository, and what the person has staged. */
async function blockedInGit(git: Git, changed: readonly ChangedPath[]): Promise<LeftFile[]> {
  const [filters, staged] = await Promise.all([filtersOf(git, changed), stagedOf(git)]);
  return changed.flatMap(({ path, modes, objects }): LeftFile[] => {
    const filter = filters.get(path);
    if (filter !== undefined) return [{ path, reason: `the filter ${filter} makes its content` }];
    if (modes.includes(submoduleMode) && modes.some(isFile)) {
      return [{ path, reason: "a submodule takes the place of a file, or a file that of one" }];
    }
    const versions = modes.map((mode, side) =>
      mode === noFile ? undefined : `${mode} ${objects[side]} 0`,
    );
    return versions.includes(staged.get(path)) ? [] : [{ path, reason: "you have staged it" }];
  });
}

const noFile = "000000";

function isFile(mode: string): boolean {
  return mode !== submoduleMode && mode !== noFile;
}

async function filtersOf(git: Git, changed: readonly ChangedPath[]): Promise<Map<string, string>> {
  const input = changed.map(({ path }) => `${path}\0`).join("");
  const fields = (await git.text(["check-attr", "-z", "--stdin", "filter"], { input })).split("\0");
  const filters = new Map<string, string>();
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [path = "", , value = ""] = fields.slice(index, index + 3);
    if (!["unspecified", "unset", "set", ""].includes(value)) filters.set(path, value);
  }
  return filters;
}

/** What the index has, by path: the mode, the object and the stage. */
async function stagedOf(git: Git): Promise<Map<string, string>> {
  const lines = (await git.text(["ls-files", "-z", "--stage"])).split("\0");
  return new Map(
    lines.map((line) => {
      const end = line.indexOf("\t");
      return [line.slice(end + 1), line.slice(0, end)] as const;
    }),
  );
}

async function moveBranch(
  { git, target }: BringOptions,
  { changed, from, to }: { changed: readonly ChangedPath[]; from: string; to: string },
): Promise<void> {
  // Removals first: a file may have come in the place of a directory.
  const lines = changed
    .map(({ path, modes: [, mode], objects: [, object] }) => `${mode} ${object}\t${path}\0`)
    .sort((a, b) => Number(b.startsWith(noFile)) - Number(a.startsWith(noFile)));
  await git.text(["update-index", "-z", "--index-info"], { input: lines.join("") });
  // Git then need not read these files to know that they are as they should be.
  await git.run(["update-index", "-q", "--refresh"]);
  await git.text(["update-ref", "-m", `troupe land: ${target}`, "HEAD", to, from]);
}
