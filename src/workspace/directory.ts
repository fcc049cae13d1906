import { type BigIntStats, constants } from "node:fs";
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { join } from "node:path";
import { hasErrno, onErrno, TeamError } from "../errors.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** Where Linux shows a process its own descriptors. A directory among them can be entered. */
const descriptors = "/proc/self/fd";

/** True if a name can be looked up in an open directory instead of along a path: on Linux. */
export async function canEnterDescriptors(): Promise<boolean> {
  const found = await stat(descriptors).catch(onErrno(undefined, "ENOENT", "EACCES"));
  return found?.isDirectory() ?? false;
}

/**
 * A directory that is held open. Names are looked up in it, never along its path, and no link is
 * followed: even if something is renamed or swapped meanwhile, a name leads to something in this
 * directory.
 *
 * Where descriptors cannot be entered (macOS), names are looked up along the path, which is checked
 * to lead to this directory before and after. That is weaker: a process that swaps a directory
 * above it out and in again between the checks is not noticed.
 */
export class Directory implements AsyncDisposable {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #entersDescriptors: boolean;

  private constructor(path: string, handle: FileHandle, entersDescriptors: boolean) {
    this.path = path;
    this.#handle = handle;
    this.#entersDescriptors = entersDescriptors;
  }

  /** `path` is a real one: no part of it is a link. */
  static async open(path: string, entersDescriptors: boolean): Promise<Directory> {
    const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return new Directory(path, handle, entersDescriptors);
  }

  /**
   * A path to this directory that is valid as long as it is open, for a child's working directory.
   */
  get location(): string {
    return this.#entersDescriptors ? `${descriptors}/${this.#handle.fd}` : this.path;
  }

  async isSame({ dev, ino }: BigIntStats): Promise<boolean> {
    const own = await this.#handle.stat({ bigint: true });
    return own.dev === dev && own.ino === ino;
  }

  async enter(name: string): Promise<Directory> {
    const handle = await this.openFile(name, O_RDONLY | O_DIRECTORY);
    return new Directory(join(this.path, name), handle, this.#entersDescriptors);
  }

  /** Enters one directory after the other. This one stays open, the ones in between are closed. */
  async descend(names: readonly string[]): Promise<Directory> {
    let directory = await this.#again();
    for (const name of names) {
      await using above = directory;
      directory = await above.enter(name);
    }
    return directory;
  }

  /** Opens what `name` is itself: a link is refused, a pipe does not make it wait. */
  async openFile(name: string, flags: number, mode?: number): Promise<FileHandle> {
    const handle = await open(await this.#at(name), flags | O_NOFOLLOW | O_NONBLOCK, mode);
    try {
      await this.#assertInPlace();
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The stats of `name` itself; undefined if it does not exist. */
  async stat(name: string): Promise<BigIntStats | undefined> {
    const stats = this.#at(name).then((path) => lstat(path, { bigint: true }));
    return stats.catch(onErrno(undefined, "ENOENT"));
  }

  /** Creates a directory. An existing one is not changed. */
  async make(name: string): Promise<void> {
    await mkdir(await this.#at(name)).catch(onErrno(undefined, "EEXIST"));
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(await this.#at(from), await this.#at(to));
  }

  /** Gives the file another name; throws EEXIST if that exists. */
  async link(from: string, to: string): Promise<void> {
    await link(await this.#at(from), await this.#at(to));
  }

  /** Moves a file of another directory here, in the place of what has this name. */
  async moveIn(path: string, name: string): Promise<void> {
    await rename(path, await this.#at(name));
  }

  /** The same where nothing has this name; throws EEXIST otherwise. */
  async linkIn(path: string, name: string): Promise<void> {
    const to = await this.#at(name);
    try {
      await link(path, to);
    } catch (error) {
      // On file systems without links, as on memory cards, there is no better way.
      if (!hasErrno(error, "EPERM", "ENOTSUP", "EOPNOTSUPP")) throw error;
      await rename(path, to);
    }
  }

  async remove(name: string): Promise<void> {
    await rm(await this.#at(name), { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }

  async #again(): Promise<Directory> {
    const handle = await open(this.location, O_RDONLY | O_DIRECTORY);
    return new Directory(this.path, handle, this.#entersDescriptors);
  }

  async #at(name: string): Promise<string> {
    await this.#assertInPlace();
    // Not `join`, which would remove the `.` of `fd/7/.` and leave a link.
    return `${this.location}/${name}`;
  }

  async #assertInPlace(): Promise<void> {
    if (this.#entersDescriptors) return;
    const isInPlace =
      (await realpath(this.path)) === this.path &&
      (await this.isSame(await stat(this.path, { bigint: true })));
    if (!isInPlace) throw swapped(this.path);
  }
}

/** The error for a path that has changed since it was checked. */
export function swapped(path: string): TeamError {
  return new TeamError("path-refused", `${path} was replaced by something else in the meantime`, {
    hint: "Check what it is, and try again.",
  });
}
