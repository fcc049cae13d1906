import { join } from "node:path";
import type { Git } from "../git/git.ts";
import type { Repository } from "../git/repository.ts";
import { takeSnapshot } from "../git/snapshot.ts";
import type { OpenGit } from "./own-repository.ts";
import { withScratch } from "./scratch.ts";

interface WorkingOptions {
  /** In the person's repository. */
  git: Git;
  repository: Repository;
  /** The checkout that starts with it. */
  path: string;
  member: string;
  at: Date;
  /** Paths that are left out. */
  without: readonly string[];
  signal?: AbortSignal | undefined;
}

/** A commit of the person's files as they are, committed or not. It changes neither them nor the index. */
export async function commitWorking(openGit: OpenGit, options: WorkingOptions): Promise<string> {
  const { git, repository, path, member, at, without, signal } = options;
  const { top, gitDirectory, head } = repository;
  const opened = await openGit({ cwd: top, repository: { gitDirectory, workTree: top } });
  const setting = async (key: string, otherwise: string) =>
    (await git.run(["config", key])).output.toString("utf8").trim() || otherwise;
  const author = {
    name: await setting("user.name", "troupe"),
    email: await setting("user.email", "troupe@troupe.invalid"),
    at,
  };
  return await withScratch(path, (scratch) =>
    takeSnapshot(opened, {
      ...{ workTree: top, index: join(scratch, "index"), like: join(gitDirectory, "index") },
      parents: [head],
      message: `Uncommitted changes when ${member} began\n`,
      ...{ author, without, signal },
    }),
  );
}
