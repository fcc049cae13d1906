import { lstat, readdir, readFile } from "node:fs/promises";
import { dirname, normalize } from "node:path";
import { orNothing } from "../lib/or-nothing.ts";

/** Sections and keys by which git runs nothing and reads nothing from elsewhere. */
const harmlessKeys: Readonly<Record<string, RegExp>> = {
  // Hooks are not called by what only reads, once git is kept from refreshing its index. A rule
  // that allows a commit allows its hooks.
  core: /^(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|longpaths|hookspath|sharedrepository|quotepath|abbrev|compression|untrackedcache|preloadindex|commentchar|splitindex|fscache)$/,
  remote: /^(url|pushurl|fetch|push|tagopt|prune|gh-resolved)$/,
  branch:
    /^(remote|merge|rebase|pushremote|description|vscode-merge-base|github-pr-owner-number|autosetupmerge|autosetuprebase|sort)$/,
  user: /^(name|email|signingkey)$/,
  author: /^(name|email)$/,
  committer: /^(name|email)$/,
  pull: /^(rebase|ff)$/,
  push: /^(default|autosetupremote|followtags)$/,
  fetch: /^(prune|prunetags|parallel)$/,
  rebase: /^(autosquash|autostash|updaterefs)$/,
  merge: /^(ff|conflictstyle)$/,
  commit: /^(gpgsign|verbose|cleanup)$/,
  tag: /^(sort|gpgsign)$/,
  rerere: /^(enabled|autoupdate)$/,
  init: /^(defaultbranch)$/,
  color: /^(ui|branch|diff|status)$/,
  status: /^(short|branch|showuntrackedfiles)$/,
  gc: /^(auto|autodetach)$/,
  maintenance: /^(auto|strategy)$/,
  submodule: /^(active)$/,
  extensions: /^(worktreeconfig|objectformat)$/,
  lfs: /^repositoryformatversion$/,
  advice: /^\w+$/,
};

/** Bytes of an index beyond which it is not searched for submodules. */
const largestIndex = 64 * 1024 * 1024;

/**
 * Why git must not run unasked in a directory: its repository's own configuration names, or might
 * name, a program. Undefined if it names none, and if there is no repository.
 */
export async function gitConfigurationProblem(directory: string): Promise<string | undefined> {
  for (const repository of await repositoriesAround(directory)) {
    const problem = (await problemOf(repository)) ?? placeProblem(repository);
    if (problem) return problem;
  }
  return undefined;
}

/**
 * Only files under a protected name cannot have been created or changed unasked. A bare repository
 * in any other folder of the workspace may be made by a member.
 */
function placeProblem({
  gitDirectory,
  commonDirectory,
}: SurroundingRepository): string | undefined {
  const isUsual = [gitDirectory, commonDirectory].every((path) =>
    normalize(path)
      .split("/")
      .some((name) => name.endsWith(".git")),
  );
  return isUsual ? undefined : "its repository is not in a folder called .git";
}

async function problemOf(repository: SurroundingRepository): Promise<string | undefined> {
  const { gitDirectory, commonDirectory } = repository;
  const files = [`${commonDirectory}/config`, `${gitDirectory}/config.worktree`];
  for (const file of files) {
    const key = unusualKey((await contents(file))?.toString("utf8") ?? "");
    if (key !== undefined) return `the repository's configuration sets ${key}`;
  }
  if (await hasSharedIndex(gitDirectory)) return "the repository's index is in several files";
  return (await hasSubmodules(`${gitDirectory}/index`))
    ? "the repository has submodules, whose own configuration git would follow"
    : undefined;
}

/** Paths as git has them: the system, not their text, decides where `..` leads. */
interface SurroundingRepository {
  readonly gitDirectory: string;
  /** Where the configuration is; another directory in a linked worktree. */
  readonly commonDirectory: string;
}

/**
 * Everything that git might take for its repository: a `.git` folder or file, or a bare repository,
 * here or above. Git skips folders that only look like one, so the search ends at one that
 * certainly is.
 */
async function repositoriesAround(directory: string): Promise<SurroundingRepository[]> {
  const found: SurroundingRepository[] = [];
  for (let current = directory; ; current = dirname(current)) {
    const named = await readGitFile(current);
    if (named !== undefined) return [...found, await repositoryAt(named)];
    for (const candidate of [`${current}/.git`, current]) {
      if (await isGitDirectory(candidate)) found.push(await repositoryAt(candidate));
    }
    if ((await isWholeRepository(`${current}/.git`)) || dirname(current) === current) return found;
  }
}

async function repositoryAt(gitDirectory: string): Promise<SurroundingRepository> {
  const common = namedPath(await contents(`${gitDirectory}/commondir`));
  return { gitDirectory, commonDirectory: common ? pathFrom(gitDirectory, common) : gitDirectory };
}

/** True for a folder that git certainly takes for a repository. */
async function isWholeRepository(path: string): Promise<boolean> {
  const head = (await contents(`${path}/HEAD`))?.toString("latin1") ?? "";
  if (!/^(ref: refs\/\S+|[0-9a-f]{40,64})\s*$/.test(head)) return false;
  return (await exists(`${path}/objects/`)) && (await exists(`${path}/refs/`));
}

async function readGitFile(directory: string): Promise<string | undefined> {
  const [, target] = /^gitdir: (.+)$/s.exec(namedPath(await contents(`${directory}/.git`))) ?? [];
  return target === undefined ? undefined : pathFrom(directory, target);
}

/** The path a file holds, which for git ends with the line that is the file's last. */
function namedPath(bytes: Buffer | undefined): string {
  const [text = ""] = bytes?.toString("utf8").split("\0") ?? [];
  return text.replace(/[\r\n]+$/, "");
}

function pathFrom(directory: string, path: string): string {
  return path.startsWith("/") ? path : `${directory}/${path}`;
}

/**
 * The least that git needs: what a directory lacks may be in the one that its `commondir` names.
 */
async function isGitDirectory(path: string): Promise<boolean> {
  if (!(await exists(`${path}/HEAD`))) return false;
  const found = await Promise.all(
    ["config", "commondir", "objects"].map((name) => exists(`${path}/${name}`)),
  );
  return found.includes(true);
}

async function exists(path: string): Promise<boolean> {
  return (await orNothing(lstat(path), undefined)) !== undefined;
}

function contents(path: string): Promise<Buffer | undefined> {
  return orNothing(readFile(path), undefined);
}

/** The first key of a configuration that is not known to be harmless, or a line that cannot be read. */
export function unusualKey(configuration: string): string | undefined {
  let section = "";
  for (const line of configuration.split("\n").map((text) => text.trim())) {
    const [, name, rest = ""] = /^\[([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\]\s*(.*)$/.exec(line) ?? [];
    section = name?.toLowerCase() ?? section;
    const setting = name === undefined ? line : rest;
    if (setting === "" || /^[#;]/.test(setting)) continue;
    const [, key] = /^([A-Za-z][\w-]*)\s*(?:=|$)/.exec(setting) ?? [];
    const allowed = Object.hasOwn(harmlessKeys, section) ? harmlessKeys[section] : undefined;
    // The continuation of a value in the next line is not a setting, and is not read as one.
    if (key === undefined || setting.endsWith("\\") || !allowed?.test(key.toLowerCase())) {
      return `${section}.${key ?? setting}`;
    }
    if (/\bext::/.test(setting)) return `${section}.${key}`;
  }
  return undefined;
}

/** A split index keeps entries, submodules among them, in a second file. */
async function hasSharedIndex(gitDirectory: string): Promise<boolean> {
  const names = await orNothing(readdir(gitDirectory), []);
  return names.some((name) => name.startsWith("sharedindex."));
}

/**
 * A submodule is an index entry of mode 0160000. If the bytes occur elsewhere, the command asks.
 */
async function hasSubmodules(index: string): Promise<boolean> {
  const bytes = await contents(index);
  if (!bytes) return false;
  return bytes.length > largestIndex || bytes.includes(Buffer.from([0, 0, 0xe0, 0]));
}
