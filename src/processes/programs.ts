import { constants } from "node:fs";
import { access, realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";
import { orNothing } from "../lib/or-nothing.ts";

interface ProgramsOptions {
  path: string | undefined;
  workspace: string;
  /** Other directories that commands can write (default: none). */
  writable?: readonly string[] | undefined;
}

/**
 * Finds the programs that troupe itself starts. The workspace is not searched for them, nor what else commands may
 * change: a member that can write there would decide what runs.
 */
export class Programs {
  readonly #path: string;
  readonly #writable: readonly string[];
  readonly #found = new Map<string, Promise<string>>();

  constructor({ path = "", workspace, writable = [] }: ProgramsOptions) {
    this.#path = path;
    this.#writable = [workspace, ...writable];
  }

  /** The directories in which programs are looked for. */
  get directories(): string[] {
    return this.#path.split(":").filter(isAbsolute);
  }

  /** The program's whole path, or its name in a directory that does not exist. */
  find(name: string): Promise<string> {
    const found = this.#found.get(name) ?? this.#search(name);
    this.#found.set(name, found);
    return found;
  }

  async #search(name: string): Promise<string> {
    const roots = await Promise.all(
      this.#writable.map((directory) => orNothing(realpath(directory), directory)),
    );
    for (const directory of this.directories) {
      const real = await orNothing(realpath(directory), undefined);
      const isIn = (root: string) => `${real}${sep}`.startsWith(`${root}${sep}`);
      if (real === undefined || roots.some(isIn)) continue;
      const program = join(directory, name);
      if (await isExecutable(program)) return program;
    }
    return join(sep, "nowhere", name);
  }
}

async function isExecutable(path: string): Promise<boolean> {
  return (await orNothing(access(path, constants.X_OK), "missing")) !== "missing";
}
