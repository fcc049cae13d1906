import { extname } from "node:path";
import { TeamError } from "../errors.ts";
import { parseFrontMatter } from "../lib/front-matter.ts";
import { nearest } from "../lib/nearest.ts";
import type { MemberName } from "../protocol/ids.ts";
import { fillTemplate, type TemplatePart } from "../skills/command-template.ts";
import type { FileCommand } from "../skills/file-command.ts";
import { type FoundCommands, findCommands } from "../skills/find-commands.ts";
import { skillBody, skillSurroundings } from "../skills/skill-texts.ts";
import { readSource } from "../skills/text-source.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Equipment } from "./equipment.ts";
import type { Supervisor } from "./supervisor.ts";
import { TypedCalls } from "./typed-calls.ts";

/** A command that a file of the repository or of the person defines. */
export interface TeamCommand {
  /** What is typed behind the slash. */
  readonly name: string;
  /** What it does, on one line. */
  readonly description: string;
  /** What to write behind the name. */
  readonly argumentHint: string | undefined;
  /** The path of its file. */
  readonly path: string;
  /** Whether it is a skill. */
  readonly isSkill: boolean;
}

/** A command's text for a member. */
export interface ExpandedCommand {
  /** The text to send. */
  readonly text: string;
  /** The files whose text is in it, in words for the person. */
  readonly attached: readonly string[];
  /** What of the command has no effect, or did not work, for the person. */
  readonly notes: readonly string[];
}

interface ExpandOptions {
  /** Whom the text is for. */
  member: MemberName;
  name: string;
  /** What was typed behind the name. */
  argument: string;
  signal: AbortSignal;
}

export async function listCommands(equipment: Equipment, cwd: string): Promise<TeamCommand[]> {
  const { commands } = await find(equipment, cwd);
  return commands.map(({ name, description, argumentHint, source, skill }) => {
    return { name, description, argumentHint, path: source.path, isSkill: skill !== undefined };
  });
}

async function find(equipment: Equipment, cwd: string): Promise<FoundCommands> {
  const { layout, guidance } = equipment;
  const { commands = [], skills = [] } = guidance;
  return findCommands({ cwd, teamDirectory: layout.directory, commands, skills });
}

/**
 * The text of a command for a member, with what was typed and the output of its command lines. Throws
 * `command-refused` where one of those may not be run, or a file not be read: then nothing is to be sent.
 */
export async function expandCommand(
  supervisor: Supervisor,
  equipment: Equipment,
  options: ExpandOptions,
): Promise<ExpandedCommand> {
  const { name, member, signal, argument } = options;
  const { commands } = await find(equipment, supervisor.options.lead.cwd);
  const command = commands.find((each) => each.name === name);
  if (!command) throw unknown(name, commands);
  const { head, body, tail } = await writtenText(command);
  const { parts, mentions } = fillTemplate(body, argument);
  const around = (text: string) => [head, text.trim(), tail].filter(Boolean).join("\n\n");
  const ignored = command.ignored.map((field) => `${field} of /${name} has no effect`);
  const needsCalls = mentions.length > 0 || parts.some(({ type }) => type === "shell");
  if (!needsCalls) return { text: around(textOf(parts)), attached: [], notes: ignored };
  const context = await supervisor.typedCallContext(member);
  const calls = await TypedCalls.open(equipment, { ...context, asker: `/${name}`, signal });
  const texts: string[] = [];
  for (const part of parts) texts.push(await filled(part, calls, name));
  const files = await attachedFiles(mentions, calls, name);
  return {
    text: [around(texts.join("")), ...files.map(({ block }) => block)].join("\n\n"),
    attached: files.map(({ path }) => path),
    notes: ignored,
  };
}

function textOf(parts: readonly TemplatePart[]): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

interface WrittenText {
  head: string;
  body: string;
  tail: string;
}

async function writtenText(command: FileCommand): Promise<WrittenText> {
  const { skill } = command;
  if (!skill) return { head: "", body: await bodyOf(command), tail: "" };
  return {
    head: `Use the skill ${skill.name}, which is in ${skill.directory}:`,
    body: await skillBody(skill),
    tail: (await skillSurroundings(skill)).join("\n"),
  };
}

async function bodyOf({ name, source }: FileCommand): Promise<string> {
  const parsed = await parseFrontMatter(await readSource(source));
  if ("problem" in parsed) {
    throw new TeamError("usage-wrong", `/${name} cannot be used: ${parsed.problem}`);
  }
  return parsed.body.trim();
}

async function filled(part: TemplatePart, calls: TypedCalls, name: string): Promise<string> {
  if (part.type === "text") return part.text;
  const outcome = await calls.runCommand(part.command);
  if (outcome.type === "done") return outcome.text;
  throw refused(name, `its command ${part.command} was not run: ${outcome.reason}`);
}

interface AttachedFile {
  path: string;
  block: string;
}

/** The files that a command's text mentions, as their reader may see them. What names no file stays text. */
async function attachedFiles(
  mentions: readonly string[],
  calls: TypedCalls,
  name: string,
): Promise<AttachedFile[]> {
  const files: AttachedFile[] = [];
  for (const mention of mentions.slice(0, maxMentions)) {
    const path = await fileNamed(mention, calls.workspace);
    if (path === undefined) continue;
    if (path.isOutside)
      throw refused(name, `it mentions @${mention}, which is outside the workspace`);
    const outcome = await calls.readFile(path.name);
    if (outcome.type === "refused") {
      throw refused(name, `@${mention} was not read: ${outcome.reason}`);
    }
    if (outcome.isError) throw refused(name, `@${mention} was not read: ${outcome.text}`);
    files.push({ path: path.name, block: `<file path="${path.name}">\n${outcome.text}\n</file>` });
  }
  return files;
}

const maxMentions = 50;

/** The path as it is written, or without the punctuation behind it; undefined if it is of no file. */
async function fileNamed(
  mention: string,
  workspace: Workspace,
): Promise<{ name: string; isOutside: boolean } | undefined> {
  const bare = mention.replace(/[.,;:!?)\]}'"*_]{1,8}$/, "");
  for (const name of new Set([mention, bare])) {
    if (name === "" || name.startsWith("~")) continue;
    const isOutside = await isFileOutside(name, workspace);
    if (isOutside !== undefined) return { name, isOutside };
  }
  return undefined;
}

async function isFileOutside(name: string, workspace: Workspace): Promise<boolean | undefined> {
  try {
    if (!(await workspace.locate(name)).isInside)
      return extname(name) !== "" || name.includes("/") || undefined;
    const found = await workspace.openSearch(name);
    await found?.directory[Symbol.asyncDispose]();
    return found?.file === undefined ? undefined : false;
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return undefined;
  }
}

function refused(name: string, reason: string): TeamError {
  return new TeamError("command-refused", `/${name} was not sent: ${reason}`);
}

function unknown(name: string, commands: readonly FileCommand[]): TeamError {
  const names = commands.map((each) => each.name);
  const meant = nearest(name, names);
  const known = names.length > 0 ? `Commands: ${names.slice(0, 20).join(", ")}. ` : "";
  return new TeamError("command-unknown", `There is no command /${name}`, {
    hint: `${meant === undefined ? known : `Did you mean /${meant}? `}To send a line that begins with a slash, put a space before it.`,
  });
}
