import { stat } from "node:fs/promises";
import { join } from "node:path";
import { onErrno } from "../errors.ts";
import { submoduleMode } from "../git/changed-paths.ts";
import type { Git } from "../git/git.ts";
import { makeOwnRepository, type OpenGit, type OwnRepositoryOptions } from "./own-repository.ts";

/** Deeper ones are not filled. */
const maxDepth = 4;

interface FillOptions extends Pick<OwnRepositoryOptions, "at" | "committer" | "branch" | "signal"> {
  /** Git in the new repository. */
  git: Git;
  /** The repository that it was made of. */
  commonDirectory: string;
  /** Where it is in the outermost one. */
  prefix?: string;
}

/**
 * Fills the submodules of a new repository from those that the person has, without the network: each becomes a repository of its
 * own, too. Returns the paths of those that cannot be filled.
 */
export async function fillSubmodules(openGit: OpenGit, options: FillOptions): Promise<string[]> {
  const { git, prefix = "" } = options;
  const links = await submodulesIn(git);
  if (links.length === 0) return [];
  const names = await namesOf(git);
  const left: string[] = [];
  for (const { path, commit } of links) {
    const name = names.get(path);
    const filled =
      name !== undefined && prefix.split("/").length <= maxDepth
        ? await fill(openGit, { ...options, name, path, commit })
        : undefined;
    left.push(...(filled ?? [`${prefix}${path}`]));
  }
  return left;
}

/** Undefined where it cannot be filled, otherwise the paths in it that cannot. */
async function fill(
  openGit: OpenGit,
  options: FillOptions & { name: string; path: string; commit: string },
): Promise<string[] | undefined> {
  const { name, path, commit, commonDirectory, prefix = "" } = options;
  // A name is a path from the modules, and comes from a file of the repository.
  if (name.split("/").some((part) => part === ".." || part === "")) return undefined;
  const module = join(commonDirectory, "modules", name);
  const found = await stat(join(module, "objects")).catch(onErrno(undefined, "ENOENT", "ENOTDIR"));
  if (!found?.isDirectory()) return undefined;
  const source = await openGit({ cwd: module, repository: { gitDirectory: module } });
  if ((await source.run(["cat-file", "-e", `${commit}^{commit}`])).code !== 0) return undefined;
  const objectFormat = await source.text(["rev-parse", "--show-object-format"]);
  const at = join(options.at, path);
  const made = { ...options, at, commit };
  await makeOwnRepository(openGit, {
    ...made,
    source: { commonDirectory: module, gitDirectory: module, objectFormat },
  });
  const gitDirectory = join(at, ".git");
  const git = await openGit({ cwd: at, repository: { gitDirectory, workTree: at } });
  return await fillSubmodules(openGit, {
    ...made,
    ...{ git, commonDirectory: module, prefix: `${prefix}${path}/` },
  });
}

/** The submodules that are in the index, with their commits. */
async function submodulesIn(git: Git): Promise<{ path: string; commit: string }[]> {
  const staged = (await git.text(["ls-files", "-z", "--stage"])).split("\0");
  return staged.flatMap((line) => {
    if (!line.startsWith(submoduleMode)) return [];
    const [fields = "", path = ""] = line.split("\t");
    return [{ path, commit: fields.split(" ")[1] ?? "" }];
  });
}

/** The names of submodules by their paths, as `.gitmodules` has them. */
async function namesOf(git: Git): Promise<Map<string, string>> {
  const argv = [
    "config",
    "-z",
    "--blob",
    ":.gitmodules",
    "--get-regexp",
    "^submodule\\..*\\.path$",
  ];
  const { output } = await git.run(argv);
  const names = new Map<string, string>();
  for (const entry of output.toString("utf8").split("\0")) {
    const [key = "", path] = entry.split("\n");
    if (path !== undefined) names.set(path, key.replace(/^submodule\./, "").replace(/\.path$/, ""));
  }
  return names;
}
