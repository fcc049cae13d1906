import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { contains } from "../lib/contains.ts";
import { escapeWrapper } from "../lib/escape-wrapper.ts";
import { orNothing } from "../lib/or-nothing.ts";
import { directoriesBetween, repositoryRoot } from "../workspace/repository-root.ts";
import { Workspace } from "../workspace/workspace.ts";
import {
  type InstructionFile,
  InstructionFiles,
  type InstructionFilesOptions,
  type InstructionScope,
} from "./instruction-files.ts";

export interface InstructionsOptions extends InstructionFilesOptions {
  teamDirectory: string;
  /** The file of the person's own instructions (default: there is none). */
  personal?: string | undefined;
}

/** What a member may be shown, by where it is. */
interface Scopes {
  /** Its workspace. */
  own: InstructionScope;
  /** The repository, where that begins above the workspace. */
  above: InstructionScope | undefined;
  /** The directory of the person's own file, and that file, which may be a link to elsewhere. */
  personal: { scope: InstructionScope; file: string } | undefined;
}

/**
 * The instructions that a member is shown in its first turn: the person's own, then those from the
 * root of its repository down to its directory. Where there is not room for all, those nearest to its
 * directory are whole.
 */
export async function memberInstructions(
  options: InstructionsOptions,
): Promise<string | undefined> {
  const texts = (await instructionFiles(options)).map(wrapped);
  return texts.length > 0 ? texts.join("\n\n") : undefined;
}

/** The files of the instructions of a directory, and why others are not among them. */
export async function findInstructions(
  cwd: string,
  { home, personal }: Pick<InstructionsOptions, "home" | "personal">,
): Promise<{ files: InstructionFile[]; warnings: string[] }> {
  const warnings: string[] = [];
  const teamDirectory = ".team";
  const files = await instructionFiles({
    ...{ home, personal, teamDirectory },
    member: await Workspace.open({ root: cwd, teamDirectory }),
    mayRead: () => true,
    onWarning: (message) => warnings.push(message),
  });
  return { files, warnings };
}

async function instructionFiles(options: InstructionsOptions): Promise<InstructionFile[]> {
  const files = new InstructionFiles(options);
  const { own, above, personal } = await scopesFor(options);
  const found: InstructionFile[] = [];
  const first = personal ? await files.readFile(personal.scope, personal.file) : [];
  const { root, cwd } = own.workspace;
  for (const directory of directoriesBetween(above?.workspace.root ?? root, cwd).reverse()) {
    const scope = above && !contains(root, directory) ? above : own;
    found.unshift(...(await files.readDirectory(scope, directory)));
  }
  return [...first, ...found].filter(({ text }) => text !== "");
}

async function scopesFor(options: InstructionsOptions): Promise<Scopes> {
  const { member, teamDirectory, personal: personalFile } = options;
  const repository = await repositoryRoot(member.cwd);
  const isAbove = repository !== undefined && !contains(member.root, repository);
  const whole = isAbove && (await Workspace.open({ root: repository, teamDirectory }));
  const own = scopeOf(member);
  const above = whole ? scopeOf(whole) : undefined;
  const directory = personalFile && (await orNothing(realpath(dirname(personalFile)), undefined));
  if (!directory) return { own, above, personal: undefined };
  const mine = scopeOf(await readOnly(directory), true);
  for (const scope of [own, ...(above ? [above] : [])]) scope.imports.push(mine);
  mine.imports.push(own);
  const file = await orNothing(realpath(personalFile), undefined);
  if (!file) return { own, above, personal: undefined };
  // The person's own file may be a link to where they keep such files.
  const scope = { ...mine, workspace: await readOnly(dirname(file)) };
  return { own, above, personal: { scope, file } };
}

/** A directory in which nothing is written. */
function readOnly(root: string): Promise<Workspace> {
  return Workspace.open({ root, teamDirectory: "." });
}

function scopeOf(workspace: Workspace, isPersonal = false) {
  const imports: InstructionScope[] = [];
  const scope = { workspace, isPersonal, imports };
  imports.push(scope);
  return scope;
}

function wrapped({ name, text, importedBy }: InstructionFile): string {
  const by = importedBy === undefined ? "" : ` imported-by="${attribute(importedBy)}"`;
  return `<project-instructions file="${attribute(name)}"${by}>\n${escapeWrapper(text)}\n</project-instructions>`;
}

/** A repository names its files and directories as it likes. */
function attribute(name: string): string {
  return name.replace(/["<>&\n\r]/g, "_");
}
