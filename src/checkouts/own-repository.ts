import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { onErrno, TeamError } from "../errors.ts";
import { type Git, type GitOptions, quotedPath } from "../git/git.ts";

/** Opens git for a directory, with the programs and the environment of the team. */
export type OpenGit = (
  options: Pick<GitOptions, "cwd" | "repository" | "configuration">,
) => Promise<Git>;

/** A repository to take objects from. */
interface SourceRepository {
  /** Where its objects and refs are. */
  commonDirectory: string;
  /** Where its own index is, and which files of it are checked out. */
  gitDirectory: string;
  objectFormat: string;
}

export interface OwnRepositoryOptions {
  /** The directory for its files, which does not exist or is empty. */
  at: string;
  source: SourceRepository;
  /** What is checked out. */
  commit: string;
  branch: string;
  /** Who commits, where the person's configuration does not say it. */
  committer: { name: string; email: string };
  signal?: AbortSignal | undefined;
}

const patienceMs = 1_800_000;

/** The address to which `origin` is pushed: a push fails, and git shows this reason. */
const noPush = "nowhere: work is handed in by itself at the end of a run";

/**
 * Makes a repository that shares the objects of another one: git reads them there, and writes only to its own. All files
 * of the commit are checked out. There are no hooks, and `origin` is the other repository.
 */
export async function makeOwnRepository(
  openGit: OpenGit,
  { at, source, commit, branch, committer, signal }: OwnRepositoryOptions,
): Promise<void> {
  await mkdir(at, { recursive: true, mode: 0o700 });
  const gitDirectory = await initRepository(openGit, { at, source, branch, committer });
  const git = await openGit({ cwd: at, repository: { gitDirectory, workTree: at } });
  await git.text(["update-ref", "--no-deref", `refs/heads/${branch}`, commit], { signal });
  await git.text(["reset", "-q", "--hard"], { signal, patienceMs });
}

type InitOptions = Pick<OwnRepositoryOptions, "at" | "source" | "branch" | "committer">;

/** Makes the repository itself, without any commit. Returns the path of its `.git`. */
export async function initRepository(
  openGit: OpenGit,
  { at, source, branch, committer }: InitOptions,
): Promise<string> {
  const gitDirectory = join(at, ".git");
  const plain = await openGit({ cwd: at, configuration: "none" });
  const format = `--object-format=${source.objectFormat}`;
  // With its path, so that git does not look for a repository further up.
  await plain.text(["init", "-q", "--template=", format, `--initial-branch=${branch}`, at]);
  await mkdir(join(gitDirectory, "info"), { recursive: true });
  const objects = join(source.commonDirectory, "objects");
  const alternates = join(gitDirectory, "objects", "info", "alternates");
  await writeFile(alternates, `${listedPath(objects)}\n`);
  await copyIfThere(join(source.commonDirectory, "shallow"), join(gitDirectory, "shallow"));
  for (const name of ["exclude", "attributes"]) {
    const file = join("info", name);
    await copyIfThere(join(source.commonDirectory, file), join(gitDirectory, file));
  }
  const sparse = join("info", "sparse-checkout");
  await copyIfThere(join(source.gitDirectory, sparse), join(gitDirectory, sparse));
  const settings = await settingsOf(openGit, source, committer);
  const path = join(gitDirectory, "config");
  await writeFile(path, `${await readFile(path, "utf8")}${settings}`);
  await rm(join(gitDirectory, "hooks"), { recursive: true, force: true });
  return gitDirectory;
}

/** A path in a file of alternates. */
function listedPath(path: string): string {
  return /^["#]|[\n\\]/.test(path) ? quotedPath(path) : path;
}

/** Settings of the source that decide how files are checked out, and who commits. */
const copied = [
  ...["core.autocrlf", "core.eol", "core.safecrlf", "core.filemode", "core.symlinks"],
  ...["core.ignorecase", "core.precomposeunicode"],
  ...["core.sparsecheckout", "core.sparsecheckoutcone"],
];

async function settingsOf(
  openGit: OpenGit,
  { gitDirectory, commonDirectory }: SourceRepository,
  committer: OwnRepositoryOptions["committer"],
): Promise<string> {
  // With the settings of a linked worktree, if it is one.
  const git = await openGit({ cwd: gitDirectory, repository: { gitDirectory } });
  const listed = await git.text(["config", "--list", "-z"]);
  const known = new Map<string, string>();
  for (const entry of listed.split("\0")) {
    const [key = "", ...lines] = entry.split("\n");
    known.set(key, lines.join("\n"));
  }
  const settings: [string, string][] = copied.flatMap((key) => {
    const value = known.get(key);
    return value === undefined ? [] : [[key, value] satisfies [string, string]];
  });
  settings.push(
    ["user.name", known.get("user.name") ?? committer.name],
    ["user.email", known.get("user.email") ?? committer.email],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    ["remote.origin.url", commonDirectory],
    ["remote.origin.pushurl", noPush],
    ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
  );
  const promisor = known.get("extensions.partialclone");
  if (promisor !== undefined) {
    // Objects that the source does not have either are missing, and not an error.
    settings.push(
      ["core.repositoryformatversion", "1"],
      ["extensions.partialclone", "origin"],
      ["remote.origin.promisor", "true"],
      [
        "remote.origin.partialclonefilter",
        known.get(`remote.${promisor}.partialclonefilter`) ?? "blob:none",
      ],
    );
  }
  return settings.map(([key, value]) => settingText(key, value)).join("");
}

function settingText(key: string, value: string): string {
  const parts = key.split(".");
  const name = parts.pop() ?? "";
  const [section = "", ...subsection] = parts;
  const heading = subsection.length > 0 ? `${section} "${subsection.join(".")}"` : section;
  const escaped = value.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n");
  return `[${heading}]\n\t${name} = "${escaped}"\n`;
}

async function copyIfThere(from: string, to: string): Promise<boolean> {
  const copying = copyFile(from, to).then(() => true);
  return copying.catch(onErrno(false, "ENOENT", "ENOTDIR"));
}

/** The directories of objects that a repository reads, its own first. */
export async function objectDirectories(commonDirectory: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [join(commonDirectory, "objects")];
  // Git does not follow more, either.
  while (waiting.length > 0 && found.length < maxAlternates) {
    const directory = waiting.shift() ?? "";
    if (found.includes(directory)) continue;
    found.push(directory);
    const text = await readFile(join(directory, "info", "alternates"), "utf8").catch(
      onErrno("", "ENOENT", "ENOTDIR", "EACCES"),
    );
    for (const line of text.split("\n")) {
      if (line === "" || line.startsWith("#")) continue;
      if (line.startsWith('"')) throw unreadableAlternate(directory);
      waiting.push(line.startsWith("/") ? line : join(directory, line));
    }
  }
  return found;
}

const maxAlternates = 32;

function unreadableAlternate(directory: string): TeamError {
  return new TeamError("repository-unusable", `${directory} has alternates with quoted paths`, {
    hint: "Give them paths without quotes in objects/info/alternates.",
  });
}
