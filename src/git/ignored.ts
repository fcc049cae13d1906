import { TeamError } from "../errors.ts";
import type { Git, GitRun } from "./git.ts";

/** Those of `paths` that the repository ignores. */
export async function ignoredAmong(
  git: Git,
  paths: readonly string[],
  run: GitRun = {},
): Promise<Set<string>> {
  if (paths.length === 0) return new Set();
  // With `./`, no path begins with a colon.
  const input = paths.map((path) => `./${path}\0`).join("");
  const argv = ["check-ignore", "-z", "--stdin"];
  const { code, output, errors } = await git.run(argv, { ...run, input, hasMagicPaths: true });
  if (code !== 0 && code !== 1)
    throw new TeamError("git-failed", `git check-ignore has failed: ${errors.trim()}`);
  const printed = output.toString("utf8").split("\0");
  return new Set(printed.map((path) => path.replace(/^\.\//, "")));
}
