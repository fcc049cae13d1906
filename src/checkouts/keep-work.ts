import { lstat, readlink, rm } from "node:fs/promises";
import { join } from "node:path";
import { onErrno, TeamError } from "../errors.ts";
import { isAncestor } from "../git/ancestry.ts";
import type { CommitAuthor, Git } from "../git/git.ts";
import { moveRef } from "../git/refs.ts";
import { takeSnapshot } from "../git/snapshot.ts";
import { CommitId } from "../protocol/ids.ts";
import { importObjects } from "./import-objects.ts";
import { indexPath } from "./make-checkout.ts";
import { type MemberCommits, readMemberCommits } from "./member-commits.ts";
import type { OpenGit } from "./own-repository.ts";
import { withScratch } from "./scratch.ts";

/** A checkout whose work is to be kept. */
export interface CheckoutToKeep {
  /** Where its files are. */
  path: string;
  /** Where the objects and refs of the person's repository are. */
  repository: string;
  /** The commit that it began with. */
  base: string;
  /** The beginning of the names of refs for this member: `refs/troupe/<team id>/<name>`. */
  refs: string;
  /** The commit that has kept its work last; undefined where nothing has. */
  last: string | undefined;
  /** The paths that were made links to the person's files. */
  links: readonly string[];
  /** Whether its member has had another one since: then what is kept is not the member's newest work. */
  isEarlier?: boolean | undefined;
  author: CommitAuthor;
  signal?: AbortSignal | undefined;
}

/** A commit in the person's repository, and the ref by which it stays there. */
interface KeptCommit {
  ref: string;
  commit: CommitId;
}

/** What came of keeping the work of a checkout. */
export interface KeepResult {
  /** What is kept now, and was not before. */
  kept: KeptCommit | undefined;
  /** What is wrong with the checkout's own repository, so that its commits are not kept; undefined if nothing is. */
  problem: string | undefined;
}

/**
 * Keeps all that a checkout has in the person's repository, under a ref of its own: first the commits of its member, then a
 * commit of all files that are not ignored, behind those and behind what was kept before. A crash leaves it kept or not;
 * repeating it keeps the rest.
 */
export async function keepWork(openGit: OpenGit, checkout: CheckoutToKeep): Promise<KeepResult> {
  return await withScratch(checkout.path, (scratch) => keepWith(openGit, { ...checkout, scratch }));
}

/** With a directory for temporary files. */
type Keeping = CheckoutToKeep & { scratch: string };

async function keepWith(openGit: OpenGit, checkout: Keeping): Promise<KeepResult> {
  const { path, repository, base, refs, last } = checkout;
  const own = { gitDirectory: repository, workTree: path };
  const git = await openGit({ cwd: path, repository: own });
  const found = await readMemberCommits(openGit, path);
  const known = [base, ...(last === undefined ? [] : [last])];
  const problem = await takeCommits(git, { ...checkout, found, known });
  const isTaken = found.type === "found" && problem === undefined;
  const head = (isTaken ? found.head : undefined) ?? last ?? base;
  const commit = await commitOf(git, { ...checkout, head });
  const isNew = !(await isKnown(git, commit, last ?? base));
  const kept = isNew ? await addRef(git, checkout, commit) : undefined;
  if (isTaken) await keepOthers(git, { refs, others: found.others });
  return { kept, problem };
}

/** A kept commit, and its place among those of its member. */
type NumberedCommit = KeptCommit & { number: number };

/** The newest work of a member that is kept, if there is any. */
export async function newestKept(git: Git, refs: string): Promise<NumberedCommit | undefined> {
  const listed = await git.text(["for-each-ref", "--format=%(objectname) %(refname)", refs]);
  let newest: NumberedCommit | undefined;
  for (const line of listed.split("\n")) {
    const [id = "", ref = ""] = line.split(" ");
    const [, digits] = /^\/(\d{1,9})$/.exec(ref.slice(refs.length)) ?? [];
    if (digits === undefined || Number(digits) <= (newest?.number ?? 0)) continue;
    newest = { ref, commit: CommitId.parse(id), number: Number(digits) };
  }
  return newest;
}

interface TakeOptions extends Keeping {
  found: MemberCommits;
  known: readonly string[];
}

/** Takes over the member's commits. Returns why, if that is not possible. */
async function takeCommits(
  git: Git,
  { found, known, path, scratch, signal }: TakeOptions,
): Promise<string | undefined> {
  if (found.type === "none") return found.problem;
  const { head, others } = found;
  const wanted = head === undefined ? others : [head, ...others];
  try {
    const objects = join(path, ".git", "objects");
    await importObjects({ git, objects, wanted, known, scratch, signal });
    return undefined;
  } catch (error) {
    if (signal?.aborted || !(error instanceof TeamError)) throw error;
    return `its commits cannot be read: ${error.message}`;
  }
}

interface CommitOptions extends Keeping {
  head: string;
}

async function commitOf(git: Git, options: CommitOptions): Promise<CommitId> {
  const { path, head, last, author, scratch, signal } = options;
  const index = indexPath(path);
  const isBehind = last === undefined || (await isAncestor(git, last, head));
  const snapshot = await takeSnapshot(git, {
    ...{ workTree: path, index: join(scratch, "index"), like: index, keepIndexAs: index },
    parents: isBehind ? [head] : [head, last],
    message: `Snapshot of the files of ${author.name}\n`,
    ...{ author, without: await linksIn(options), signal },
  });
  return CommitId.parse(snapshot);
}

/** Those of the links that are still as they were made. */
export async function linksIn({ path, links }: CheckoutToKeep): Promise<string[]> {
  const found: string[] = [];
  for (const link of links) {
    const stats = await lstat(join(path, link)).catch(onErrno(undefined, "ENOENT", "ENOTDIR"));
    if (stats?.isSymbolicLink()) found.push(link);
  }
  return found;
}

/** True where a commit has nothing that another one, which is kept, does not have. */
async function isKnown(git: Git, commit: string, kept: string): Promise<boolean> {
  if (commit === kept) return true;
  const trees = await git.text(["rev-parse", `${commit}^{tree}`, `${kept}^{tree}`]);
  const [mine, theirs] = trees.split("\n");
  if (mine !== theirs) return false;
  // Its parents, but for what is kept: the member's own commits.
  const parents = (await git.text(["rev-parse", `${commit}^@`])).split("\n");
  for (const parent of parents.filter((it) => it !== "" && it !== kept)) {
    if (!(await isAncestor(git, parent, kept))) return false;
  }
  return true;
}

async function addRef(
  git: Git,
  { refs, isEarlier = false }: CheckoutToKeep,
  commit: CommitId,
): Promise<KeptCommit> {
  if (isEarlier) {
    const ref = otherRef(refs, commit);
    await moveRef(git, { ref, from: undefined, to: commit });
    return { ref, commit };
  }
  const newest = await newestKept(git, refs);
  for (let number = (newest?.number ?? 0) + 1; ; number++) {
    const ref = `${refs}/${number}`;
    if (await moveRef(git, { ref, from: undefined, to: commit })) return { ref, commit };
  }
}

/** What has a name in the checkout, and is in nothing that has one in the person's repository, stays by its own id. */
async function keepOthers(
  git: Git,
  { refs, others }: { refs: string; others: readonly string[] },
): Promise<void> {
  if (others.length === 0) return;
  const input = others.map((id) => `${id}^{commit}\n`).join("");
  const peeled = (await git.text(["cat-file", "--batch-check=%(objectname)"], { input })).split(
    "\n",
  );
  const commits = peeled.filter((line) => !line.includes(" "));
  const unnamed = await git.text(["rev-list", "--stdin", "--not", "--all"], {
    input: `${commits.join("\n")}\n`,
  });
  const isUnnamed = new Set(unnamed.split("\n"));
  for (const [index, id] of others.entries()) {
    const commit = peeled[index] ?? "";
    // What is no commit has no history in which it could be.
    if (!commit.includes(" ") && !isUnnamed.has(commit)) continue;
    await moveRef(git, { ref: otherRef(refs, id), from: undefined, to: id });
  }
}

function otherRef(refs: string, id: string): string {
  return `${refs}/others/${id}`;
}

/** Removes the links, which are the person's files, from a checkout that nobody works in now. */
export async function removeLinks(checkout: CheckoutToKeep): Promise<void> {
  for (const link of await linksIn(checkout)) {
    const path = join(checkout.path, link);
    if ((await readlink(path)).startsWith("/")) await rm(path);
  }
}
