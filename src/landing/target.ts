import { TeamError } from "../errors.ts";
import type { Git } from "../git/git.ts";
import { moveRef, readRef } from "../git/refs.ts";

/** The whole name of the branch that work lands on. */
export function targetRef(target: string): string {
  return `refs/heads/${target}`;
}

/**
 * The commit that a target is at. A missing one is made from the commit that is checked out. Throws `target-refused` for a
 * branch that is checked out anywhere: its files would not follow it.
 */
export async function openTarget(git: Git, target: string): Promise<string> {
  const ref = targetRef(target);
  const place = await checkedOutAt(git, ref);
  if (place !== undefined) {
    throw new TeamError("target-refused", `The target ${target} is checked out in ${place}`, {
      hint: "Check out another branch there, or choose another target.",
    });
  }
  return (await readRef(git, ref)) ?? (await makeTarget(git, { target, ref }));
}

async function makeTarget(
  git: Git,
  { target, ref }: { target: string; ref: string },
): Promise<string> {
  const { code } = await git.run(["check-ref-format", ref]);
  // Git itself takes such a name for an option.
  if (code !== 0 || target.startsWith("-")) {
    throw new TeamError("target-refused", `${JSON.stringify(target)} is not the name of a branch`, {
      hint: "Choose another target.",
    });
  }
  const head = await git.text(["rev-parse", "--verify", "HEAD^{commit}"]);
  if (await moveRef(git, { ref, from: undefined, to: head })) return head;
  return await git.text(["rev-parse", "--verify", `${ref}^{commit}`]);
}

/** The directory in which a branch is checked out, also one that has no commit yet. */
async function checkedOutAt(git: Git, ref: string): Promise<string | undefined> {
  const listed = await git.text(["worktree", "list", "--porcelain", "-z"]);
  for (const each of listed.split("\0\0")) {
    const lines = each.split("\0");
    const isThere = !lines.some((line) => line === "prunable" || line.startsWith("prunable "));
    if (isThere && lines.includes(`branch ${ref}`)) return lines[0]?.replace(/^worktree /, "");
  }
  return undefined;
}
