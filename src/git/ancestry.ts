import { TeamError } from "../errors.ts";
import type { Git } from "./git.ts";

/** True where everything of `commit` is in `descendant`. Throws `git-failed` where one of them is no commit. */
export async function isAncestor(git: Git, commit: string, descendant: string): Promise<boolean> {
  const { code, errors } = await git.run(["merge-base", "--is-ancestor", commit, descendant]);
  if (code === 0 || code === 1) return code === 0;
  throw new TeamError("git-failed", `git merge-base has failed: ${errors.trim()}`);
}
