import { access, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { orNothing } from "../../lib/or-nothing.ts";
import { readJson } from "../../lib/read-json.ts";
import type { LineContext } from "./resolved-line.ts";
import type { ShellEnvironment } from "./variables.ts";

type ProgramContext = Pick<LineContext, "environment" | "programDirectories">;

/** The shell's builtins, for which it looks for no program. */
const builtins: ReadonlySet<string> = new Set(
  `. : [ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown
  echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout
  mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test
  times trap true type typeset ulimit umask unalias unset wait`.split(/\s+/),
);

/** Finds programs by their names, as the shell does. */
export class ProgramSearch {
  readonly #environment: ShellEnvironment;
  readonly #directories: readonly string[];
  readonly #ownDirectories: readonly string[];

  constructor({ environment, programDirectories }: ProgramContext) {
    this.#environment = environment;
    this.#directories = (environment.PATH ?? "").split(":");
    this.#ownDirectories = programDirectories;
  }

  /** Why a name means another program than the system's: a function, or one in the workspace. */
  async foreign(name: string | undefined, from: string): Promise<string | undefined> {
    if (this.#environment[`BASH_FUNC_${name}%%`] !== undefined) {
      return `${name} is a function of the environment`;
    }
    const isSearched = name !== undefined && !name.includes("/") && !builtins.has(name);
    if (!isSearched || this.#ownDirectories.length === 0) return undefined;
    for (const directory of this.#directories) {
      const path = join(resolve(from, directory), name);
      if (!(await exists(path))) continue;
      const isForeign = this.#ownDirectories.includes(dirname(path));
      return isForeign ? `${name} is a program of the workspace` : undefined;
    }
    return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return (await orNothing(access(path), "missing")) !== "missing";
}

const Manifest = z.object({ name: z.string() });
/** A package's manifest is not further above its programs than this. */
const mostParents = 4;

/** True for a program of troupe's own package, wherever that is. */
export async function isTroupeProgram(path: string): Promise<boolean> {
  if (!/\.[cm]?[jt]s$/.test(path)) return false;
  let directory = dirname(path);
  for (let parents = 0; parents < mostParents; parents++, directory = dirname(directory)) {
    const name = await packageName(directory);
    if (name !== undefined) return isOwnProgram(name, path);
  }
  return false;
}

function isOwnProgram(name: string, path: string): boolean {
  return /^(@[^/]+\/)?troupe$/.test(name) && /\/(dist|src)\/|\/main\.[cm]?[jt]s$/.test(path);
}

async function packageName(directory: string): Promise<string | undefined> {
  const text = await orNothing(readFile(join(directory, "package.json"), "utf8"), "{}");
  try {
    return Manifest.safeParse(readJson(text)).data?.name;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
