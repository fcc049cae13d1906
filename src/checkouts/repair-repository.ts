import { rename } from "node:fs/promises";
import { join } from "node:path";
import { onErrno } from "../errors.ts";
import { copyIndex } from "../git/copy-index.ts";
import { removeTree } from "../lib/remove-tree.ts";
import { indexPath } from "./make-checkout.ts";
import { whyUnusable } from "./member-commits.ts";
import { initRepository, type OpenGit } from "./own-repository.ts";

interface RepairOptions {
  /** Where the checkout is. */
  path: string;
  /** Where the objects and refs of the person's repository are. */
  repository: string;
  branch: string;
  member: string;
  /** The commit that keeps its files as they were last. */
  commit: string;
}

/**
 * Gives a checkout a new repository where its own is missing or unusable; what is left of that is moved out of
 * the checkout. False where it is usable; then nothing is changed.
 */
export async function repairRepository(
  openGit: OpenGit,
  { path, repository, branch, member, commit }: RepairOptions,
): Promise<boolean> {
  const gitDirectory = join(path, ".git");
  if ((await whyUnusable(gitDirectory)) === undefined) return false;
  const aside = `${path}.git-before`;
  await removeTree(aside);
  await rename(gitDirectory, aside).catch(onErrno(undefined, "ENOENT"));
  const source = await openGit({ cwd: repository, repository: { gitDirectory: repository } });
  const objectFormat = await source.text(["rev-parse", "--show-object-format"]);
  await initRepository(openGit, {
    ...{
      at: path,
      branch,
      source: { commonDirectory: repository, gitDirectory: repository, objectFormat },
    },
    committer: { name: member, email: `${member}@troupe.invalid` },
  });
  const git = await openGit({ cwd: path, repository: { gitDirectory, workTree: path } });
  await git.text(["update-ref", "--no-deref", `refs/heads/${branch}`, commit]);
  await copyIndex(indexPath(path), join(gitDirectory, "index"));
  return true;
}
