import {
  type BigIntStats,
  chmodSync,
  cpSync,
  lstatSync,
  readdirSync,
  rmSync,
  utimesSync,
} from "node:fs";
import { hasErrno } from "../src/errors.ts";

interface Known {
  readonly stats: BigIntStats;
  /** True if a read changes the access time. */
  readonly isWatched: boolean;
}

/**
 * A small tree of which every change shows, and every read outside the workspace. A new name changes
 * its folder, so it is enough to look at what is known. A file system that is mounted `relatime`
 * notes a read when the last one is older than the last change.
 */
export class WatchedTree {
  readonly #root: string;
  readonly #pristine: string;
  readonly #known = new Map<string, Known>();

  constructor({ root, pristine }: { root: string; pristine: string }) {
    this.#root = root;
    this.#pristine = pristine;
  }

  /** Restores the tree: all of it at first, later only the paths in `changes`. */
  restore(paths: readonly string[] = [""]): void {
    // Folders first: a closed one must be opened before its content can be restored.
    for (const path of paths.toSorted((a, b) => a.length - b.length)) {
      const isFolder = this.#known.get(path)?.stats.isDirectory() && this.#stats(path);
      if (isFolder) chmodSync(`${this.#root}${path}`, 0o755);
      else if (path !== "") rmSync(`${this.#root}${path}`, { recursive: true, force: true });
      if (!isFolder) this.#copy(path);
    }
    this.#known.clear();
    this.#learn("");
  }

  #copy(path: string): void {
    const source = `${this.#pristine}${path}`;
    if (lstatSync(source, { throwIfNoEntry: false }) === undefined) return;
    const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
    cpSync(source, `${this.#root}${path}`, options);
  }

  /** Created, changed or removed files; a folder if a file created in it is gone again. */
  changes(): string[] {
    const changed = [...this.#known].flatMap(([path, { stats }]) =>
      isSame(this.#stats(path), stats) ? [] : [path],
    );
    return [...new Set(changed.flatMap((path) => this.#whatChanged(path)))];
  }

  /** Reads outside the workspace since the last call. */
  reads(): string[] {
    const read: string[] = [];
    for (const [path, { stats, isWatched }] of this.#known) {
      if (!isWatched || this.#stats(path)?.atimeNs === stats.atimeNs) continue;
      read.push(path);
      this.#watch(path);
    }
    return read;
  }

  #whatChanged(path: string): string[] {
    const created = this.#names(path).filter((name) => !this.#known.has(`${path}/${name}`));
    const isParentOfChange = [...this.#known.keys()].some(
      (it) => it.startsWith(`${path}/`) && this.#stats(it) === undefined,
    );
    if (this.#stats(path)?.mode !== this.#known.get(path)?.stats.mode) return [path];
    if (created.length > 0) return created.flatMap((name) => this.#below(`${path}/${name}`));
    return isParentOfChange ? [] : [path];
  }

  /** A new name, and everything below it. */
  #below(path: string): string[] {
    return [path, ...this.#names(path).flatMap((name) => this.#below(`${path}/${name}`))];
  }

  #learn(path: string): void {
    for (const name of this.#names(path)) this.#learn(`${path}/${name}`);
    this.#watch(path);
  }

  #watch(path: string): void {
    const stats = this.#stats(path);
    if (!stats) return;
    // git always reads its configuration in the home directory.
    const isWatched =
      /^\/(home|outside)\b/.test(path) && !stats.isSymbolicLink() && !path.includes(".gitconfig");
    if (isWatched) utimesSync(`${this.#root}${path}`, 0, Number(stats.mtimeMs) / 1000);
    this.#known.set(path, { stats: this.#stats(path) ?? stats, isWatched });
  }

  /** The content of a folder; nothing for files and unreadable folders. */
  #names(path: string): string[] {
    if (!this.#stats(path)?.isDirectory()) return [];
    try {
      return readdirSync(`${this.#root}${path}`);
    } catch (error) {
      if (hasErrno(error, "EACCES")) return [];
      throw error;
    }
  }

  #stats(path: string): BigIntStats | undefined {
    try {
      return lstatSync(`${this.#root}${path}`, { bigint: true });
    } catch (error) {
      if (hasErrno(error, "ENOENT", "ENOTDIR", "EACCES")) return undefined;
      throw error;
    }
  }
}

function isSame(found: BigIntStats | undefined, known: BigIntStats): boolean {
  return (
    found?.ctimeNs === known.ctimeNs &&
    found.mtimeNs === known.mtimeNs &&
    found.size === known.size &&
    found.mode === known.mode
  );
}
