import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { onErrno, TeamError } from "../errors.ts";
import type { Git } from "./git.ts";

/** What git finds around a directory. */
export type FoundRepository =
  | { type: "none" }
  /** There is one, and it cannot be used. */
  | { type: "unusable"; problem: string; remedy: string }
  | ({ type: "usable" } & Repository);

/** A repository with files and at least one commit. */
export interface Repository {
  /** The directory that its files are in. */
  top: string;
  /** Where its index is; another one than `commonDirectory` in a linked worktree. */
  gitDirectory: string;
  /** Where its objects and refs are. */
  commonDirectory: string;
  /** The commit that is checked out. */
  head: string;
  /** The branch that is checked out; undefined on a detached HEAD. */
  branch: string | undefined;
  isShallow: boolean;
  objectFormat: string;
}

/** Looks for the repository around the directory in which `git` starts. Throws `git-missing`. */
export async function findRepository(git: Git): Promise<FoundRepository> {
  const flags = ["--is-bare-repository", "--is-shallow-repository", "--show-object-format"];
  const looked = await git.run(["rev-parse", ...flags]);
  if (looked.isMissing) await git.requireVersion();
  if (looked.code !== 0) return withoutRepository(looked.errors);
  const [isBare, isShallow, objectFormat = "sha1"] = looked.output.toString("utf8").split("\n");
  if (isBare === "true") {
    return unusable("The repository is bare: it has no files", "Start in a clone of it.");
  }
  const head = await git.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"]);
  if (head.code !== 0) {
    return unusable("The repository has no commit yet", "Make a first commit (git commit).");
  }
  const [top, gitDirectory, commonDirectory] = await Promise.all([
    git.text(["rev-parse", "--show-toplevel"]),
    git.text(["rev-parse", "--absolute-git-dir"]),
    git.text(["rev-parse", "--path-format=absolute", "--git-common-dir"]),
  ]);
  if (!(await isWritable(commonDirectory))) {
    return unusable(
      `The repository ${commonDirectory} cannot be written`,
      "Give yourself the right to write there.",
    );
  }
  const branch = await git.run(["symbolic-ref", "-q", "HEAD"]);
  return {
    ...{ type: "usable", top, gitDirectory, commonDirectory, objectFormat },
    head: head.output.toString("utf8").trim(),
    branch: branch.code === 0 ? branch.output.toString("utf8").trim() : undefined,
    isShallow: isShallow === "true",
  };
}

/** The repository around the directory. Throws `repository-unusable`, `git-missing` and `git-too-old`. */
export async function requireRepository(git: Git): Promise<Repository> {
  await git.requireVersion();
  const found = await findRepository(git);
  if (found.type === "usable") return found;
  const [problem, hint] =
    found.type === "none"
      ? ["There is no git repository here", "Make one with git init and a first commit."]
      : [found.problem, found.remedy];
  throw new TeamError("repository-unusable", problem, { hint });
}

function withoutRepository(errors: string): FoundRepository {
  if (/not a git repository/.test(errors)) return { type: "none" };
  const [line = ""] = errors.trim().split("\n");
  return unusable(`Git does not read the repository: ${line}`, "Try git status there.");
}

function unusable(problem: string, remedy: string): FoundRepository {
  return { type: "unusable", problem, remedy };
}

/** Objects and refs are made there. */
async function isWritable(commonDirectory: string): Promise<boolean> {
  for (const name of ["objects", "refs"]) {
    const allowed = access(join(commonDirectory, name), constants.W_OK).then(() => true);
    const refusals = ["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR"];
    if (!(await allowed.catch(onErrno(false, ...refusals)))) return false;
  }
  return true;
}
