import { constants } from "node:fs";
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import { onErrno, TeamError } from "../errors.ts";
import { closing } from "../lib/closing.ts";
import type { OpenGit } from "./own-repository.ts";

/** What the repository of a checkout has, of which its member may have made anything. */
export type MemberCommits =
  | {
      type: "found";
      /** The commit that is checked out; undefined before the first one of a new branch. */
      head: string | undefined;
      /** What else has a name there: branches, tags, stashes. */
      others: string[];
    }
  /** It is missing, or no longer a repository. */
  | { type: "none"; problem: string };

/** More names of one checkout are not kept. */
const maxNames = 10_000;
const maxStashBytes = 1024 * 1024;

/** Reads what is named in the repository of a checkout. Nothing that its configuration names is started. */
export async function readMemberCommits(openGit: OpenGit, path: string): Promise<MemberCommits> {
  const gitDirectory = join(path, ".git");
  const problem = await whyUnusable(gitDirectory);
  if (problem !== undefined) return { type: "none", problem };
  const git = await openGit({
    ...{ cwd: path, repository: { gitDirectory }, configuration: "none" as const },
  });
  const listed = await git.run([
    ...["for-each-ref", `--count=${maxNames}`, "--format=%(objectname)"],
    ...["refs/heads", "refs/tags", "refs/stash", "refs/notes", "refs/bisect", "refs/rewritten"],
  ]);
  if (listed.code !== 0) {
    return { type: "none", problem: `git does not read it: ${listed.errors.trim()}` };
  }
  const head = await git.run(["rev-parse", "-q", "--verify", "HEAD"]);
  const tip = head.code === 0 ? head.output.toString("utf8").trim() : undefined;
  const names = listed.output.toString("utf8").split("\n");
  const stashed = await readStashes(join(gitDirectory, "logs", "refs", "stash"));
  const others = new Set([...names, ...stashed].filter((id) => isId(id) && id !== tip));
  return { type: "found", head: tip, others: [...others] };
}

/** Why the `.git` of a checkout is not the repository that was made there; undefined if it is. */
export async function whyUnusable(gitDirectory: string): Promise<string | undefined> {
  for (const name of ["", "objects", "refs"]) {
    const found = await lstat(join(gitDirectory, name)).catch(onErrno(undefined, "ENOENT"));
    const shown = join(".git", name);
    if (!found) return `${shown} is gone`;
    if (!found.isDirectory()) return `${shown} is no longer a directory`;
  }
  // Git would use another repository instead.
  const other = await lstat(join(gitDirectory, "commondir")).catch(onErrno(undefined, "ENOENT"));
  return other ? ".git leads to another repository" : undefined;
}

/** Only the newest stash has a ref. */
async function readStashes(path: string): Promise<string[]> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(onErrno(undefined, "ENOENT", "ENOTDIR", "ELOOP"));
  if (!file) return [];
  await using _ = closing(file);
  const stats = await file.stat();
  if (!stats.isFile()) return [];
  if (stats.size > maxStashBytes) {
    throw new TeamError("git-failed", `${path} is larger than any list of stashes`);
  }
  const { buffer, bytesRead } = await file.read(Buffer.alloc(stats.size), 0, stats.size, 0);
  const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
  return lines.flatMap((line) => line.split(" ")[1] ?? []);
}

function isId(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text) && !/^0+$/.test(text);
}
