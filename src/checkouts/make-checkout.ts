import { appendFile, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { reasonOf, TeamError } from "../errors.ts";
import { copyIndex } from "../git/copy-index.ts";
import type { Git } from "../git/git.ts";
import type { Repository } from "../git/repository.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import { removeTree } from "../lib/remove-tree.ts";
import { copyIncluded, linkPaths } from "./included-files.ts";
import { makeOwnRepository, type OpenGit } from "./own-repository.ts";
import { fillSubmodules } from "./submodules.ts";

export interface CheckoutPlan {
  /** Where it is to be: a path in `directory`. */
  path: string;
  /** In the person's repository. */
  git: Git;
  repository: Repository;
  /** What it begins with. */
  base: string;
  branch: string;
  committer: { name: string; email: string };
  /** Paths in the repository that become links to the person's files. */
  links: readonly string[];
  /** Paths in the repository that are not copied. */
  without: readonly string[];
  signal?: AbortSignal | undefined;
}

/** What a checkout lacks although it may be expected to have it. */
export interface MissingInCheckout {
  /** Submodules that are empty. */
  submodules: string[];
  /** Paths of `.worktreeinclude` that were not copied, because they are links out of the repository. */
  included: string[];
  /** Paths that could not become links. */
  links: string[];
}

/** Where a checkout is made, before it is renamed. */
function unfinishedPath(path: string): string {
  return `${path}.making`;
}

/** The runtime's own index of a checkout: what it knows of the files that it has kept. */
export function indexPath(path: string): string {
  return `${path}.index`;
}

/** Makes a checkout whole, or leaves nothing at its path. */
export async function makeCheckout(
  openGit: OpenGit,
  plan: CheckoutPlan,
): Promise<MissingInCheckout> {
  const { path, git, repository, base, links, without, signal } = plan;
  const at = unfinishedPath(path);
  try {
    await ensurePrivateDirectory(dirname(path));
    await removeTree(at);
    await makeOwnRepository(openGit, { ...plan, at, source: repository, commit: base });
    const gitDirectory = join(at, ".git");
    const own = await openGit({ cwd: at, repository: { gitDirectory, workTree: at } });
    const { commonDirectory, top: from } = repository;
    const submodules = await fillSubmodules(openGit, { ...plan, at, git: own, commonDirectory });
    const included = await copyIncluded({ git, from, to: at, without, signal });
    const linked = await linkPaths(links, { from, to: at });
    // A pattern such as `node_modules/` does not mean a link.
    const excluded = linked.linked.map((link) => `/${link}\n`).join("");
    await appendFile(join(gitDirectory, "info", "exclude"), excluded);
    await copyIndex(join(gitDirectory, "index"), indexPath(path));
    if (signal?.aborted) throw new TeamError("team-closed", "The team is being closed");
    await mkdir(dirname(path), { recursive: true });
    await rename(at, path);
    return { submodules, included, links: linked.left };
  } catch (error) {
    await removeCheckout(path);
    if (error instanceof TeamError && error.code !== "git-failed") throw error;
    throw new TeamError("checkout-failed", `No checkout could be made: ${reasonOf(error)}`, {
      cause: error,
      hint: "Nothing was left behind. Fix the cause and spawn again, or spawn with isolation shared.",
    });
  }
}

/** Removes all files of a checkout. */
export async function removeCheckout(path: string): Promise<void> {
  for (const each of [unfinishedPath(path), path]) await removeTree(each);
  await rm(indexPath(path), { force: true });
}
