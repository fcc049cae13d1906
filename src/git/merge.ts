import { TeamError } from "../errors.ts";
import type { Git, GitRun } from "./git.ts";

/** The merged tree of two commits, or the files that cannot be merged. */
export type MergedTrees =
  | { type: "merged"; tree: string }
  | { type: "conflict"; files: string[]; explanation: string };

/** Merges two commits without any files. It only adds objects to the repository. */
export async function mergeTrees(
  git: Git,
  [ours, theirs]: readonly [string, string],
  run: GitRun = {},
): Promise<MergedTrees> {
  const argv = ["merge-tree", "--write-tree", "-z", "--name-only", ours, theirs];
  const { code, output, errors } = await git.run(argv, run);
  const [tree = "", ...rest] = output.toString("utf8").split("\0");
  if (code === 0) return { type: "merged", tree };
  // It ends with the same code where it is not given two commits.
  if (code !== 1 || tree === "")
    throw new TeamError("git-failed", `git merge-tree has failed: ${errors.trim()}`);
  const end = rest.indexOf("");
  return {
    type: "conflict",
    files: [...new Set(rest.slice(0, end))],
    explanation: explanationIn(rest.slice(end + 1)),
  };
}

/** Each is the number of paths, the paths, a short type and a sentence. */
function explanationIn(fields: readonly string[]): string {
  const sentences: string[] = [];
  for (let index = 0; index + 1 < fields.length; ) {
    const paths = Number(fields[index]);
    sentences.push(fields[index + paths + 2] ?? "");
    index += paths + 3;
  }
  return sentences.join("");
}
