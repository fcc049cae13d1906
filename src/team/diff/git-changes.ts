import { sep } from "node:path";
import { Git } from "../../git/git.ts";
import { contains } from "../../lib/contains.ts";
import type { EnvironmentVariables } from "../../model/provider-settings.ts";
import { Programs } from "../../processes/programs.ts";
import { type Candidate, type FoundChanges, maxFiles } from "./changes.ts";
import { readObjects } from "./git-objects.ts";

interface GitChangesOptions {
  /** The real path of the workspace. */
  root: string;
  /** A path in it; empty for all of it. */
  limit: string;
  env: EnvironmentVariables;
}

type GitChanges =
  | ({ type: "found" } & FoundChanges)
  | { type: "none" }
  /** There is a repository, and git does not read it. */
  | { type: "failed"; reason: string };

/** The files that differ from the last commit, and the new ones that are not ignored. */
export async function findGitChanges({ root, limit, env }: GitChangesOptions): Promise<GitChanges> {
  const programs = new Programs({ path: env.PATH, workspace: root });
  const git = await Git.open({ cwd: root, env, programs });
  const top = await git.run(["rev-parse", "--show-toplevel"]);
  if (top.code !== 0) return whyNot(top);
  if (!contains(top.output.toString("utf8").replace(/\n$/, ""), root)) {
    return {
      type: "failed",
      reason: "Git uses another work tree than the one that contains the workspace.",
    };
  }
  const paths = limit === "" ? ["--", "."] : ["--", limit];
  const listed = await listChanges(git, paths);
  if (typeof listed === "string") return { type: "failed", reason: `Git failed: ${listed}` };
  const { entries, isCut } = listed;
  const shown = entries.slice(0, maxFiles);
  const notes = isCut ? ["There are too many changed files to list them all."] : [];
  const candidates = await withContents(git, shown);
  return {
    ...{ type: "found", since: { type: "commit" }, candidates, notes },
    more: entries.length - shown.length,
  };
}

function whyNot({ code, errors }: { code: number | undefined; errors: string }): GitChanges {
  if (code === undefined || /not a git repository|must be run in a work tree/.test(errors)) {
    return { type: "none" };
  }
  const [line = ""] = errors.split("\n");
  return { type: "failed", reason: `Git failed: ${line}` };
}

/** A file that differs, by the object that it was. */
interface ChangedEntry {
  path: string;
  /** Undefined for a new file. */
  object: string | undefined;
  /** Why its contents are not to be shown. */
  reason?: string;
}

interface ListedEntries {
  entries: ChangedEntry[];
  isCut: boolean;
}

/** A text is what git says of its failure. */
async function listChanges(git: Git, paths: readonly string[]): Promise<ListedEntries | string> {
  const others = ["ls-files", "-z", "--others", "--exclude-standard"];
  const hasCommit = (await git.run(["rev-parse", "-q", "--verify", "HEAD^{commit}"])).code === 0;
  if (!hasCommit) {
    // Before the first commit, all files are new.
    const all = await git.run([...others, "--cached", ...paths]);
    if (all.code !== 0 && !all.isCut) return all.errors;
    return { entries: namesIn(all.output).map(newEntry), isCut: all.isCut };
  }
  const compared = ["diff-index", "--raw", "-z", "--no-renames", "--no-abbrev", "--relative"];
  const tracked = await git.run([...compared, "--ignore-submodules=all", "HEAD", ...paths]);
  const fresh = await git.run([...others, ...paths]);
  const failed = [tracked, fresh].find(({ code, isCut }) => code !== 0 && !isCut);
  if (failed) return failed.errors;
  return {
    entries: [...changedIn(tracked.output), ...namesIn(fresh.output).map(newEntry)],
    isCut: tracked.isCut || fresh.isCut,
  };
}

function namesIn(output: Buffer): string[] {
  const names = output.toString("utf8").split("\0");
  return [...new Set(names.filter((name) => name !== ""))];
}

function newEntry(path: string): ChangedEntry {
  if (!path.endsWith("/")) return { path: native(path), object: undefined };
  return { path: native(path.slice(0, -1)), object: undefined, reason: "another repository" };
}

function native(path: string): string {
  return path.split("/").join(sep);
}

/** `:100644 100644 <object> <object> M`, then the path. */
function changedIn(output: Buffer): ChangedEntry[] {
  const fields = output.toString("utf8").split("\0");
  const entries: ChangedEntry[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, oldMode = "", newMode = "", object = ""] =
      /^:(\d+) (\d+) ([0-9a-f]+) [0-9a-f]+ [A-Z]/.exec(fields[index] ?? "") ?? [];
    const path = native(fields[index + 1] ?? "");
    const isNew = /^0+$/.test(object);
    const reason = [oldMode, newMode].includes("120000") ? "a link" : undefined;
    entries.push({ path, object: isNew ? undefined : object, ...(reason && { reason }) });
  }
  return entries;
}

async function withContents(git: Git, entries: readonly ChangedEntry[]): Promise<Candidate[]> {
  const objects = entries.flatMap(({ object, reason }) => (object && !reason ? [object] : []));
  const contents = await readObjects(git, [...new Set(objects)]);
  return entries.map(({ path, object, reason }): Candidate => {
    if (reason !== undefined) return { path, before: { type: "unknown", reason } };
    if (object === undefined) return { path, before: { type: "missing" } };
    const before = contents.get(object) ?? { type: "unknown", reason: "its content is missing" };
    return { path, before };
  });
}
