import { closeSync, fstatSync, lstatSync, type Stats } from "node:fs";
import { join, resolve } from "node:path";
import { TeamError } from "../errors.ts";
import { openDirectory } from "./file-owner.ts";

/** Where Linux shows a process its own descriptors. A directory among them can be entered. */
const descriptors = "/proc/self/fd";

/**
 * A directory of Troupe that is held open. Its files are looked up in this very directory, name by
 * name, and no link is followed: even if something is renamed or swapped meanwhile, a path below it
 * leads to something in it.
 *
 * Where descriptors cannot be entered (macOS), names are looked up along the path, which is checked
 * to lead to the same directories before and after. A process that swaps one out and in again
 * between the two checks is not noticed.
 */
export class OwnDirectory implements Disposable {
  readonly path: string;
  readonly #descriptor: number;
  readonly #entersDescriptors: boolean;
  #isOpen = true;

  private constructor(path: string, descriptor: number, entersDescriptors: boolean) {
    this.path = path;
    this.#descriptor = descriptor;
    this.#entersDescriptors = entersDescriptors;
  }

  /** Throws `team-unusable` unless it is a directory of this user and not a link. */
  static open(path: string, entersDescriptors = canEnterDescriptors()): OwnDirectory {
    const absolute = resolve(path);
    return OwnDirectory.#of(absolute, openDirectory(absolute, absolute), entersDescriptors);
  }

  static #of(path: string, descriptor: number, entersDescriptors: boolean): OwnDirectory {
    const directory = new OwnDirectory(path, descriptor, entersDescriptors);
    forgotten.register(directory, descriptor, directory);
    return directory;
  }

  /** Holds a directory below this one, so that each file in it is reached in one step. */
  hold(names: readonly string[]): OwnDirectory {
    const path = join(this.path, ...names);
    using parent = this.enter(names.slice(0, -1));
    const descriptor = openDirectory(`${parent.location}/${names.at(-1) ?? "."}`, path);
    const held = OwnDirectory.#of(path, descriptor, this.#entersDescriptors);
    parent.check();
    return held;
  }

  /** True while the path still leads to this directory. */
  get isInPlace(): boolean {
    const found = lstatSync(this.path, { throwIfNoEntry: false });
    return found !== undefined && isSame(found, fstatSync(this.#descriptor));
  }

  to(...names: string[]): OwnPath {
    return new OwnPath(this, names);
  }

  /** The path in which to look up names. Only for reading: links below it are followed. */
  get location(): string {
    if (!this.#isOpen) throw new TeamError("team-closed", `${this.path} has been closed`);
    return this.#entersDescriptors ? `${descriptors}/${this.#descriptor}` : this.path;
  }

  /** Enters one directory after the other. */
  enter(names: readonly string[]): EnteredDirectory {
    return this.#entersDescriptors
      ? enterDescriptors(this, names)
      : enterAlongPath(this, names, fstatSync(this.#descriptor));
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    forgotten.unregister(this);
    closeSync(this.#descriptor);
  }
}

/** A view of a team need not be closed: an unreachable directory is closed with its object. */
const forgotten = new FinalizationRegistry<number>((descriptor) => closeSync(descriptor));

/** A path below a directory that is held open. */
export class OwnPath {
  readonly #directory: OwnDirectory;
  readonly names: readonly string[];

  constructor(directory: OwnDirectory, names: readonly string[]) {
    this.#directory = directory;
    this.names = names;
  }

  to(...names: string[]): OwnPath {
    return new OwnPath(this.#directory, [...this.names, ...names]);
  }

  get parent(): OwnPath {
    return new OwnPath(this.#directory, this.names.slice(0, -1));
  }

  /** The paths on the way from the directory that is held to this one, which comes last. */
  lineage(): OwnPath[] {
    return this.names.map((_, index) => {
      return new OwnPath(this.#directory, this.names.slice(0, index + 1));
    });
  }

  /** A path for looking at it. Links are followed, so no decision may depend on it. */
  get location(): string {
    return join(this.#directory.location, ...this.names);
  }

  /** Holds the directory that this is. */
  hold(): OwnDirectory {
    return this.#directory.hold(this.names);
  }

  /** Enters the directory that contains this path, or, with `isDirectory`, this path itself. */
  enter({ isDirectory }: { isDirectory: boolean }): EnteredDirectory {
    return this.#directory.enter(isDirectory ? this.names : this.names.slice(0, -1));
  }

  toString(): string {
    return join(this.#directory.path, ...this.names);
  }
}

interface EnteredDirectory extends Disposable {
  location: string;
  /** Its path as a person knows it. */
  shown: string;
  /** Throws if a directory on the way has been swapped for another one since. */
  check(): void;
}

function enterDescriptors(root: OwnDirectory, names: readonly string[]): EnteredDirectory {
  let location = root.location;
  let shown = root.path;
  let held: number | undefined;
  const close = () => {
    if (held !== undefined) closeSync(held);
  };
  try {
    for (const name of names) {
      shown = join(shown, name);
      const next = openDirectory(`${location}/${name}`, shown);
      close();
      held = next;
      location = `${descriptors}/${next}`;
    }
  } catch (error) {
    close();
    throw error;
  }
  return { location, shown, check: () => undefined, [Symbol.dispose]: close };
}

function enterAlongPath(
  root: OwnDirectory,
  names: readonly string[],
  rootStats: Stats,
): EnteredDirectory {
  const paths = names.map((_, index) => join(root.path, ...names.slice(0, index + 1)));
  const entered = paths.map((path) => ({ path, stats: lookAtDirectory(path) }));
  const check = () => {
    for (const { path, stats } of [{ path: root.path, stats: rootStats }, ...entered]) {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (!found || !isSame(found, stats)) throw swapped(path);
    }
  };
  check();
  const location = join(root.path, ...names);
  return { location, shown: location, check, [Symbol.dispose]: () => undefined };
}

function lookAtDirectory(path: string): Stats {
  const descriptor = openDirectory(path, path);
  try {
    return fstatSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function swapped(path: string): TeamError {
  return new TeamError("team-unusable", `${path} was replaced by something else in the meantime`, {
    hint: "Check what it is, and try again.",
  });
}

function isSame(a: Stats, b: Stats): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

function canEnterDescriptors(): boolean {
  return lstatSync(descriptors, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
