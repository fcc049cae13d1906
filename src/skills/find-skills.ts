import { opendir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { TeamError } from "../errors.ts";
import { isThere } from "../lib/is-there.ts";
import { orNothing } from "../lib/or-nothing.ts";
import {
  type GuidanceDirectory,
  type GuidancePlaces,
  guidanceDirectories,
  isWithin,
} from "./guidance-places.ts";
import { parseSkill, type Skill } from "./skill.ts";
import { skillDirectories } from "./skill-directories.ts";
import { readSource } from "./text-source.ts";

/** Each costs a file that is opened when a member is opened. */
const maxSkills = 500;
/** Of one directory. */
const maxEntries = 20_000;

/** A file that is not used, and why: for the person. */
export interface UnusedFile {
  readonly path: string;
  readonly reason: string;
  /** False if another one of its name is nearer. */
  readonly isBroken: boolean;
}

export interface FoundSkills {
  /** The nearest first; no two have one name. */
  readonly skills: readonly Skill[];
  /** Broken, or hidden by another one of the same name. */
  readonly unused: readonly UnusedFile[];
  /** How many were not looked at, because there are too many. */
  readonly left: number;
}

/** The skills of a directory. Whatever is in them, this neither fails nor waits. */
export async function findSkills(places: Omit<GuidancePlaces, "below">): Promise<FoundSkills> {
  const directories = await guidanceDirectories({ ...places, below: skillDirectories });
  const search = new SkillSearch();
  for (const directory of directories) await search.look(directory);
  return search.found;
}

class SkillSearch {
  readonly #skills = new Map<string, Skill>();
  readonly #directories = new Set<string>();
  readonly #unused: UnusedFile[] = [];
  #left = 0;

  get found(): FoundSkills {
    return { skills: [...this.#skills.values()], unused: this.#unused, left: this.#left };
  }

  async look(directory: GuidanceDirectory): Promise<void> {
    if (!(await isWithin(directory))) {
      this.#leaveOut(directory.path, "it leads out of the repository");
      return;
    }
    for (const entry of await entriesOf(directory.path)) {
      const path = join(directory.path, entry, "SKILL.md");
      if (!(await orNothing(isThere(path), false))) continue;
      if (this.#skills.size + this.#unused.length >= maxSkills) this.#left++;
      else await this.#add(entry, path, directory);
    }
  }

  async #add(entry: string, path: string, { path: parent, within }: GuidanceDirectory) {
    const real = await orNothing(realpath(join(parent, entry)), undefined);
    // Often one directory links to the skills of another one.
    if (real === undefined || this.#directories.has(real)) return;
    const source = { path, workspace: within };
    const isPersonal = within === "anywhere";
    try {
      if (!(await isWithin({ path: real, within }))) {
        throw new TeamError("path-refused", "it leads out of the repository");
      }
      const text = await readSource(source);
      const skill = await parseSkill(text, { entry, directory: real, source, isPersonal });
      if (typeof skill === "string") this.#leaveOut(path, skill);
      else this.#take(skill, path);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      this.#leaveOut(path, error.message);
    }
  }

  #take(skill: Skill, path: string): void {
    const nearer = this.#skills.get(skill.name);
    if (nearer) {
      const reason = `${nearer.source.path} has the same name, and is nearer`;
      this.#unused.push({ path, reason, isBroken: false });
    } else this.#skills.set(skill.name, skill);
    this.#directories.add(skill.directory);
  }

  #leaveOut(path: string, reason: string): void {
    this.#unused.push({ path, reason, isBroken: true });
  }
}

/** Sorted, so that a member is shown them in the same order each time. */
async function entriesOf(path: string): Promise<string[]> {
  const directory = await orNothing(opendir(path), undefined);
  const names: string[] = [];
  if (!directory) return names;
  for await (const { name } of directory) {
    if (names.push(name) >= maxEntries) break;
  }
  return names.sort();
}
