import { requireRepository } from "../../src/git/repository.ts";
import { CommitId } from "../../src/protocol/ids.ts";
import { type BroughtWork, bringLanded } from "../../src/team/landings/bring-landed.ts";
import { commitEdits, type FileEdits, target } from "./landings.ts";
import { gitIn, openGit } from "./repository.ts";

/** Puts edits on the target, which begins at the commit that is checked out. */
export async function landEdits(root: string, edits: FileEdits): Promise<CommitId> {
  const git = await openGit(root);
  const begin = await gitIn(root, "rev-parse", "-q", "--verify", target).catch(() => "HEAD");
  const parent = await gitIn(root, "rev-parse", begin);
  const index = `${await gitIn(root, "rev-parse", "--absolute-git-dir")}/work-index`;
  const commit = await commitEdits(git, { parents: [parent], edits, index });
  await gitIn(root, "update-ref", `refs/heads/${target}`, commit);
  return CommitId.parse(commit);
}

/** Brings the target to the branch that is checked out, as the person's own word does. */
export async function bring(root: string, open = openGit): Promise<BroughtWork> {
  const repository = await requireRepository(await open(root));
  const { top, gitDirectory } = repository;
  const git = await open(top, { repository: { gitDirectory, workTree: top } });
  return await bringLanded({ git, repository, target });
}
