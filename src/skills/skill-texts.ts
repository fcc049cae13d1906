import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { TeamError } from "../errors.ts";
import { escapeWrapper } from "../lib/escape-wrapper.ts";
import { parseFrontMatter } from "../lib/front-matter.ts";
import { orNothing } from "../lib/or-nothing.ts";
import { ownNamesOf } from "../protocol/tool-names.ts";
import type { FoundSkills } from "./find-skills.ts";
import type { Skill } from "./skill.ts";
import { readSource } from "./text-source.ts";

/** Of all that a member is told in its first turn of the skills there are. */
const maxListBytes = 8 * 1024;
const maxFiles = 200;
const maxDepth = 5;

export interface SkillList {
  /** Undefined where there are none for members. */
  readonly text: string | undefined;
  /** The names of those for whose description there is no room. */
  readonly undescribed: readonly string[];
}

/** The skills as a member is shown them in its first turn: the nearest with what they are for. */
export function skillList({ skills, left }: Pick<FoundSkills, "skills" | "left">): SkillList {
  const shown = skills.filter(({ isForModel }) => isForModel);
  if (shown.length === 0) return { text: undefined, undescribed: [] };
  const lines = [
    "<skills>",
    "Skills are instructions for certain kinds of work. Before work that one of them is for, read it by the tool `skill`.",
  ];
  const room = new LineRoom(maxListBytes - tailBytes, lines);
  const undescribed = shown.filter(
    ({ name, description }) => !room.add(lines, `- ${name}: ${escapeWrapper(description)}`),
  );
  if (undescribed.length > 0 || left > 0) lines.push(rest(undescribed, left));
  return {
    text: [...lines, "</skills>"].join("\n"),
    undescribed: undescribed.map(({ name }) => name),
  };
}

/** Left for the line about those that are not described, and the end. */
const tailBytes = 1024;

function rest(undescribed: readonly Skill[], left: number): string {
  const names: string[] = [];
  const room = new LineRoom(tailBytes - 200, names);
  for (const { name } of undescribed) if (!room.add(names, name)) break;
  const unnamed = undescribed.length - names.length + left;
  const others = unnamed > 0 ? `${names.length > 0 ? ", and " : ""}${unnamed} others` : "";
  return `There are more, which are not described here: ${names.join(", ")}${others}.`;
}

class LineRoom {
  #left: number;

  constructor(bytes: number, used: readonly string[]) {
    this.#left = bytes;
    for (const line of used) this.#left -= Buffer.byteLength(line) + 2;
  }

  /** False where there is no room for the line, nor for those after it. */
  add(lines: string[], line: string): boolean {
    this.#left -= Buffer.byteLength(line) + 2;
    if (this.#left < 0) return false;
    lines.push(line);
    return true;
  }
}

/** A skill whole: its text, where it is, and what else is there. */
export async function skillText(skill: Skill): Promise<string> {
  const { name, directory } = skill;
  return [
    `<skill name="${name}" directory="${directory.replace(/["<>&\n\r]/g, "_")}">`,
    escapeWrapper(await skillBody(skill)),
    "</skill>",
    ...(await skillSurroundings(skill)),
  ].join("\n");
}

/** What a member is told behind the text of a skill. */
export async function skillSurroundings(skill: Skill): Promise<string[]> {
  const files = await filesOf(skill.directory);
  const listed = files.length > 0 ? ["Files in its directory:", ...files] : [];
  return [...listed, ...suggestion(skill)];
}

/** The text of a skill as it is now. */
export async function skillBody({ name, source, directory }: Skill): Promise<string> {
  const parsed = await parseFrontMatter(await readSource(source));
  if ("problem" in parsed) {
    throw new TeamError("path-refused", `The skill ${name} cannot be used: ${parsed.problem}`);
  }
  return parsed.body.trim().replaceAll(/\$\{CLAUDE_SKILL_DIR\}|\{baseDir\}/g, () => directory);
}

function suggestion({ suggestedTools }: Skill): string[] {
  if (suggestedTools.length === 0) return [];
  const own = suggestedTools.flatMap((tool) => {
    const [name = tool] = tool.split("(");
    const names = ownNamesOf(name);
    return names.length > 0 ? names : [name];
  });
  return [`It is meant for these tools, and permits none of them: ${[...new Set(own)].join(", ")}`];
}

/** Paths from the directory on. Links are not followed, and not named. */
async function filesOf(root: string): Promise<string[]> {
  const files: string[] = [];
  let left = 0;
  const walk = async (directory: string, depth: number): Promise<void> => {
    const entries = await orNothing(readdir(directory, { withFileTypes: true }), []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && depth < maxDepth && !hiddenDirectories.has(entry.name)) {
        if (files.length < maxFiles) await walk(path, depth + 1);
      } else if (entry.isFile() && path !== join(root, "SKILL.md")) {
        if (files.length < maxFiles) files.push(`- ${relative(root, path).replace(/\s/g, " ")}`);
        else left++;
      }
    }
  };
  await walk(root, 0);
  return left > 0 ? [...files, `... (${left} more)`] : files;
}

const hiddenDirectories = new Set([".git", "node_modules", "__pycache__"]);
