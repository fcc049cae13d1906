import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { TeamError } from "../errors.ts";
import { orNothing } from "../lib/or-nothing.ts";
import { Workspace } from "../workspace/workspace.ts";
import { commandDirectories } from "./command-directories.ts";
import { commandOf, type FileCommand, parseCommand } from "./file-command.ts";
import { type FoundSkills, findSkills, type UnusedFile } from "./find-skills.ts";
import { type GuidanceDirectory, guidanceDirectories, isWithin } from "./guidance-places.ts";
import { readSource } from "./text-source.ts";

const maxCommands = 500;
const maxEntries = 20_000;
const maxDepth = 4;
const namePattern = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;

export interface FoundCommands {
  /** By name. */
  readonly commands: readonly FileCommand[];
  readonly unused: readonly UnusedFile[];
  /** How many were not looked at, because there are too many. */
  readonly left: number;
}

export interface CommandPlaces {
  /** The workspace. */
  cwd: string;
  teamDirectory: string;
  /** The person's own directories of commands. */
  commands: readonly string[];
  /** Those of skills. */
  skills: readonly string[];
}

/** The commands of a directory, and the skills that the person can call. Whatever is there, this neither fails nor waits. */
export async function findCommands(places: CommandPlaces): Promise<FoundCommands & FoundSkills> {
  const { cwd, teamDirectory, commands: personal, skills: own } = places;
  const rest = { workspace: await Workspace.open({ root: cwd, teamDirectory }), teamDirectory };
  const found = await findSkills({ ...rest, personal: own });
  const directories = await guidanceDirectories({ ...rest, personal, below: commandDirectories });
  const search = new CommandSearch();
  for (const directory of directories) await search.look(directory);
  for (const skill of found.skills) if (skill.isForPerson) search.take(commandOf(skill));
  return {
    ...search.found,
    skills: found.skills,
    unused: [...search.found.unused, ...found.unused],
  };
}

class CommandSearch {
  readonly #commands = new Map<string, FileCommand>();
  readonly #unused: UnusedFile[] = [];
  #entriesLeft = maxEntries;
  #left = 0;

  get found(): FoundCommands {
    const commands = [...this.#commands.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return { commands, unused: this.#unused, left: this.#left };
  }

  async look(directory: GuidanceDirectory): Promise<void> {
    if (await isWithin(directory)) await this.#walk(directory, directory.path, []);
    else this.#leaveOut(directory.path, "it leads out of the repository");
  }

  take(command: FileCommand): void {
    const nearer = this.#commands.get(command.name);
    const { path } = command.source;
    if (!nearer) this.#commands.set(command.name, command);
    else if (nearer.source.path !== path) {
      const reason = `${nearer.source.path} has the same name, and is nearer`;
      this.#unused.push({ path, reason, isBroken: false });
    }
  }

  /** Directories that are links are not entered. */
  async #walk(from: GuidanceDirectory, path: string, above: readonly string[]): Promise<void> {
    const directory = await orNothing(opendir(path), undefined);
    if (!directory) return;
    const files: string[] = [];
    const directories: string[] = [];
    for await (const entry of directory) {
      if (this.#entriesLeft-- <= 0) break;
      if (entry.isDirectory()) directories.push(entry.name);
      else if (entry.name.endsWith(".md")) files.push(entry.name);
    }
    for (const name of files.sort()) {
      await this.#add(from, join(path, name), [...above, name.slice(0, -".md".length)]);
    }
    if (above.length >= maxDepth) return;
    for (const name of directories.sort()) {
      if (namePattern.test(name)) await this.#walk(from, join(path, name), [...above, name]);
    }
  }

  async #add({ within }: GuidanceDirectory, path: string, names: readonly string[]) {
    if (this.#commands.size + this.#unused.length >= maxCommands) {
      this.#left++;
      return;
    }
    const source = { path, workspace: within };
    try {
      if (!names.every((name) => namePattern.test(name))) {
        throw new TeamError(
          "path-refused",
          "its name cannot be typed: use letters, digits, - and _",
        );
      }
      const text = await readSource(source);
      const isPersonal = within === "anywhere";
      const command = await parseCommand(text, { name: names.join(":"), source, isPersonal });
      if (typeof command === "string") this.#leaveOut(path, command);
      else this.take(command);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      this.#leaveOut(path, error.message);
    }
  }

  #leaveOut(path: string, reason: string): void {
    this.#unused.push({ path, reason, isBroken: true });
  }
}
