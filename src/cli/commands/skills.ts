import { relative, resolve } from "node:path";
import { contains } from "../../lib/contains.ts";
import type { FileCommand } from "../../skills/file-command.ts";
import { findCommands } from "../../skills/find-commands.ts";
import type { UnusedFile } from "../../skills/find-skills.ts";
import type { Skill } from "../../skills/skill.ts";
import { skillList } from "../../skills/skill-texts.ts";
import type { Command, Io } from "../command.ts";
import { columns, screenWidth } from "../render/columns.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import { userGuidance } from "../settings/standard-places.ts";
import { slashCommands } from "../talk/slash-commands.ts";

export const skills: Command = {
  name: "skills",
  group: "set up",
  summary: "List the skills and the commands that files define, and what of them has no effect",
  parameters: [],
  options: {
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    json: { summary: "print JSON" },
  },
  examples: [
    { call: "troupe skills", does: "those of the repository, and your own" },
    { call: "troupe skills --json | jq -r '.skills[].name'", does: "the names, for a script" },
  ],
  notes: [
    "Members are told of skills, and read them by themselves; you call skills and commands as /name. The first file with a name counts. What a file permits (allowed-tools) has no effect.",
  ],

  async run({ values, json }, io) {
    const workspace = resolve(io.processInfo.cwd, String(values.cwd ?? "."));
    const found = await listSkills(workspace, io);
    if (json) io.out(jsonText(found, 2));
    else for (const line of asLines(found, workspace)) io.out(line);
    return 0;
  },
};

interface ListedFiles {
  skills: ListedSkill[];
  commands: ListedCommand[];
  /** Files that are not used, and why. */
  unused: UnusedFile[];
  /** How many were not looked at, because there are too many. */
  not_read: number;
}

interface ListedFile {
  name: string;
  description: string;
  argument_hint?: string | undefined;
  path: string;
  personal: boolean;
  /** The fields without effect. */
  no_effect: readonly string[];
}

interface ListedSkill extends ListedFile {
  /** Whether members are told of it. */
  for_members: boolean;
  /** False where the list that members are shown has no room for its description. */
  described: boolean;
  /** Whether you can call it as `/name`. */
  callable: boolean;
  suggested_tools: readonly string[];
}

type ListedCommand = ListedFile;

/** The skills and commands of a workspace and of the person. */
export async function listSkills(
  cwd: string,
  { processInfo }: Pick<Io, "processInfo">,
): Promise<ListedFiles> {
  const { skills: own = [], commands: mine = [] } = userGuidance(processInfo);
  const places = { cwd, teamDirectory: ".team", skills: own, commands: mine };
  const found = await findCommands(places);
  const { undescribed } = skillList(found);
  const isBuiltIn = ({ name }: FileCommand) => slashCommands.some((each) => each.name === name);
  const callable = found.commands.filter((each) => !isBuiltIn(each));
  const isCallable = (skill: Skill) => callable.some((each) => each.skill === skill);
  const taken = found.commands.filter(isBuiltIn).map(({ name, source }) => {
    const reason = `/${name} is Troupe's own command`;
    return { path: source.path, reason, isBroken: true };
  });
  return {
    skills: found.skills.map((skill) => ({
      ...describe(skill),
      for_members: skill.isForModel,
      described: skill.isForModel && !undescribed.includes(skill.name),
      callable: isCallable(skill),
      suggested_tools: skill.suggestedTools,
    })),
    commands: callable.filter(({ skill }) => skill === undefined).map(describe),
    unused: [...taken, ...found.unused],
    not_read: found.left,
  };
}

function describe(file: Skill | FileCommand): ListedFile {
  const { name, description, argumentHint, source, isPersonal, ignored } = file;
  return {
    ...{ name, description, ...(argumentHint !== undefined && { argument_hint: argumentHint }) },
    ...{ path: source.path, personal: isPersonal, no_effect: ignored },
  };
}

function asLines(found: ListedFiles, workspace: string): string[] {
  const { skills, commands, unused, not_read: left } = found;
  const place = (path: string) => (contains(workspace, path) ? relative(workspace, path) : path);
  const lines = [
    ...(skills.length > 0 ? ["Skills:"] : ["No skills were found."]),
    ...skills.flatMap((skill) => entry(skill.name, skill, [place(skill.path), ...notesOf(skill)])),
    ...(commands.length > 0 ? ["", "Commands:"] : ["", "No commands were found."]),
    ...commands.flatMap((command) => {
      const call = `/${command.name} ${command.argument_hint ?? ""}`.trim();
      return entry(call, command, [place(command.path), ...noEffect(command)]);
    }),
    ...(unused.length > 0 ? ["", "Not used:"] : []),
    ...unused.map(({ path, reason }) => `  ${oneLine(`${place(path)}: ${reason}`)}`),
    ...(left > 0 ? ["", `${left} more files were not read: there are too many.`] : []),
  ];
  return lines;
}

function entry(call: string, { description }: ListedFile, notes: readonly string[]): string[] {
  const text = `${oneLine(description, 200)} (${notes.map((note) => oneLine(note)).join("; ")})`;
  return columns(oneLine(call), text, 20, screenWidth);
}

function notesOf(skill: ListedSkill): string[] {
  const { for_members: isForMembers, described, callable, suggested_tools: tools } = skill;
  return [
    ...(isForMembers ? [] : ["members are not told of it"]),
    ...(isForMembers && !described ? ["members are told only its name: there are too many"] : []),
    ...(callable ? [] : ["you cannot call it"]),
    ...(tools.length > 0 ? [`suggests, and does not permit: ${tools.join(", ")}`] : []),
    ...noEffect(skill),
  ];
}

function noEffect({ no_effect: fields }: ListedFile): string[] {
  return fields.length > 0 ? [`no effect: ${fields.join(", ")}`] : [];
}
