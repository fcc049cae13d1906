import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "./bundle.ts";
import { Child } from "./child.ts";

/** The paths of the child programs, and a directory for files. */
export class Workbench<Program extends string> {
  readonly #directory: string;
  readonly #pathOf: (program: Program) => string;

  private constructor(directory: string, pathOf: (program: Program) => string) {
    this.#directory = directory;
    this.#pathOf = pathOf;
  }

  static async open<Program extends string>(
    directory: string,
    programs: Record<Program, string>,
  ): Promise<Workbench<Program>> {
    return new Workbench(directory, await bundle(programs, join(directory, "programs")));
  }

  /** A new directory of that name. */
  async directory(name: string): Promise<string> {
    const path = join(this.#directory, name);
    await mkdir(path, { recursive: true });
    return path;
  }

  start(program: Program, options: object): Promise<Child> {
    return Child.start(this.#pathOf(program), options);
  }
}
