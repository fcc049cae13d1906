import { type BigIntStats, constants } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { hasErrno, onErrno, TeamError } from "../errors.ts";
import { contains } from "../lib/contains.ts";
import { canEnterDescriptors, Directory } from "./directory.ts";
import type { Place } from "./place.ts";
import { realPathOf } from "./real-path.ts";
import { type OpenFile, openRegularFile } from "./regular-file.ts";
import { TargetFile } from "./target-file.ts";

/** No system opens a longer path. */
const maxPathBytes = 4096;

export interface WorkspaceOptions {
  root: string;
  /** The base of relative paths (default: the root). */
  cwd?: string;
  teamDirectory: string;
  /** False for a system whose descriptors cannot be entered (default: detected). */
  entersDescriptors?: boolean;
}

/** A directory to search in, or one file of it. */
export interface SearchArea {
  readonly directory: Directory;
  readonly file: string | undefined;
}

/**
 * The directory that a member works in; the file tools reach the disk only through it.
 *
 * A path is resolved to the real one first, which must be in the workspace; then that real path is
 * opened, part by part and without following links. So nothing is gained by swapping a part for a
 * link in between. Files in the team directory may be read, but never written, wherever that
 * directory is. A hard link to a file outside is a file of the workspace like any other: it cannot
 * be distinguished.
 */
export class Workspace {
  readonly root: string;
  readonly cwd: string;
  readonly #teamDirectory: string;
  readonly #entersDescriptors: boolean;
  /** Real paths. */
  #readable: readonly string[] = [];

  private constructor(options: Required<WorkspaceOptions>) {
    this.root = options.root;
    this.cwd = options.cwd;
    this.#teamDirectory = options.teamDirectory;
    this.#entersDescriptors = options.entersDescriptors;
  }

  static async open(options: WorkspaceOptions): Promise<Workspace> {
    const root = await realpath(options.root);
    const cwd = await realDirectory(resolve(root, options.cwd ?? "."));
    if (!contains(root, cwd)) throw outside(cwd, root);
    return new Workspace({
      root,
      cwd,
      teamDirectory: await realPathOf(resolve(root, options.teamDirectory)),
      entersDescriptors: options.entersDescriptors ?? (await canEnterDescriptors()),
    });
  }

  /** Lets files be read in directories outside, by their real paths, and nothing else. */
  letRead(directories: readonly string[]): void {
    this.#readable = directories;
  }

  /**
   * The place of a path that a model wrote: relative to the member's directory; `~` is a plain
   * name.
   */
  async locate(path: string): Promise<Place> {
    assertPath(path);
    return this.placeAt(await realPathOf(resolve(this.cwd, path)));
  }

  /** The place of a path that is known to be a real one. */
  placeAt(real: string): Place {
    const isInside = contains(this.root, real);
    const fromRoot = relative(this.root, real).split(sep).join("/") || ".";
    const isReadable = this.#readable.some((directory) => contains(directory, real));
    return {
      ...{ real, isInside, relative: isInside ? fromRoot : undefined },
      ...(!isInside && isReadable && { isReadable }),
    };
  }

  /** The place of a path that is to be written. Throws if it must not be written. */
  async locateTarget(path: string): Promise<Place> {
    const place = await this.locate(path);
    if (!place.isInside) throw outside(path, this.root);
    if (contains(this.#teamDirectory, place.real)) throw teamClosed(path);
    return place;
  }

  /** A file to read; undefined if it is missing. */
  async openFile(path: string): Promise<OpenFile | undefined> {
    const parent = await this.#openParent(path);
    if (!parent) return undefined;
    await using directory = parent.directory;
    return await openRegularFile(directory, parent.name, constants.O_RDONLY);
  }

  /** The area to search: a directory, or a file in its directory. Undefined if there is neither. */
  async openSearch(path: string): Promise<SearchArea | undefined> {
    const parent = await this.#openParent(path);
    if (!parent) return undefined;
    await using directory = parent.directory;
    const stats = await directory.stat(parent.name);
    if (!stats) return undefined;
    const isFile = stats.isFile();
    return {
      directory: await directory.descend(isFile ? [] : [parent.name]),
      file: isFile ? parent.name : undefined,
    };
  }

  /**
   * The file to write at a place that `locateTarget` has found. Undefined if its directory is
   * missing and is not to be created.
   */
  async openTarget(
    { real }: Place,
    { makesDirectories }: { makesDirectories: boolean },
  ): Promise<TargetFile | undefined> {
    const { names, name } = partsOf(this.root, real);
    const stats = stat(this.#teamDirectory, { bigint: true });
    const team = await stats.catch(onErrno(undefined, "ENOENT", "ENOTDIR"));
    let directory = await Directory.open(this.root, this.#entersDescriptors);
    for (const step of names) {
      await using above = directory;
      if (makesDirectories) await above.make(step);
      else if (!(await above.stat(step))) return undefined;
      directory = await enterUnlessSame(above, step, team);
    }
    return new TargetFile(directory, name);
  }

  /** Globs, in ripgrep's language, for files that are searched only if they are named. */
  closedTo({ directory }: SearchArea): string[] {
    const isTeamBelow =
      this.#teamDirectory !== directory.path && contains(directory.path, this.#teamDirectory);
    const team = relative(directory.path, this.#teamDirectory).replace(/[*?[\]{}\\!]/g, "\\$&");
    return [".git", ...(isTeamBelow ? [`/${team}`] : [])];
  }

  /** The directory that contains a readable path; undefined if it is missing. */
  async #openParent(path: string): Promise<{ directory: Directory; name: string } | undefined> {
    const { real } = await this.locate(path);
    const bases = [this.root, this.#teamDirectory, ...this.#readable];
    const base = bases.find((it) => contains(it, real));
    if (base === undefined) throw outside(path, this.root);
    const { names, name } = partsOf(base, real);
    try {
      await using directory = await Directory.open(base, this.#entersDescriptors);
      return { directory: await directory.descend(names), name };
    } catch (error) {
      if (hasErrno(error, "ENOENT")) return undefined;
      throw error;
    }
  }
}

function assertPath(path: string): void {
  if (path === "") throw refused("The path is empty", "Name a file.");
  if (path.includes("\0")) throw refused("The path contains a NUL", "Leave it out.");
  if (Buffer.byteLength(path) > maxPathBytes) {
    throw refused(`The path has more than ${maxPathBytes} bytes`, "Use a shorter one.");
  }
}

/** The directories between `base` and the last name of `real`; that name is `.` for `base` itself. */
function partsOf(base: string, real: string): { names: string[]; name: string } {
  const names = relative(base, real).split(sep);
  const name = names.pop();
  return { names, name: name || "." };
}

/** Compares identities: the closed directory may have been named by another spelling. */
async function enterUnlessSame(
  above: Directory,
  name: string,
  closed: BigIntStats | undefined,
): Promise<Directory> {
  const directory = await above.enter(name);
  try {
    if (closed && (await directory.isSame(closed))) throw teamClosed(directory.path);
    return directory;
  } catch (error) {
    await directory[Symbol.asyncDispose]();
    throw error;
  }
}

/** The directory in which a member works. Throws if it does not exist. */
async function realDirectory(path: string): Promise<string> {
  assertPath(path);
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    if (!hasErrno(error, "ENOENT", "ENOTDIR", "ELOOP", "EACCES", "ENAMETOOLONG")) throw error;
  }
  throw refused(`There is no directory ${path}`, "Name one that exists, or make it first.");
}

function outside(path: string, root: string): TeamError {
  return refused(
    `${path} is outside the workspace`,
    `File tools reach only files that are in ${root} after links are followed.`,
  );
}

function teamClosed(path: string): TeamError {
  return refused(
    `${path} belongs to the team's own files, which no file tool writes`,
    "Use the tools for messages and tasks, and another place for files.",
  );
}

function refused(message: string, hint: string): TeamError {
  return new TeamError("path-refused", message, { hint });
}
