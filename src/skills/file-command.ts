import { z } from "zod";
import { parseFrontMatter } from "../lib/front-matter.ts";
import { parseValue } from "../lib/parse-value.ts";
import { fieldProblem, hintOf, onOneLine, type Skill, ToolList } from "./skill.ts";
import type { TextSource } from "./text-source.ts";

/** A command that a file defines: a text to send, or a skill that the person can call. */
export interface FileCommand {
  /** What is typed behind the slash, such as `review` or `frontend:review`. */
  readonly name: string;
  readonly description: string;
  /** What to write behind the name. */
  readonly argumentHint: string | undefined;
  readonly source: TextSource;
  readonly isPersonal: boolean;
  /** The skill that it calls, if it is one. */
  readonly skill: Skill | undefined;
  /** The fields of its file that have no effect here, with their values where those matter. */
  readonly ignored: readonly string[];
}

const CommandFields = z.looseObject({
  description: z.string().optional(),
  "argument-hint": z.union([z.string(), z.array(z.string())]).nullish(),
  "allowed-tools": ToolList.nullish(),
  model: z.string().nullish(),
});

/** They permit nothing, or are for others. */
const understood = new Set(["description", "argument-hint", "allowed-tools", "name", "model"]);

/** Reads the file of a command, or says what is wrong with it. */
export async function parseCommand(
  text: string,
  { name, source, isPersonal }: Pick<FileCommand, "name" | "source" | "isPersonal">,
): Promise<FileCommand | string> {
  const parsed = await parseFrontMatter(text);
  if ("problem" in parsed) return parsed.problem;
  const { data, error } = parseValue(CommandFields, parsed.fields);
  if (!data) return fieldProblem(error);
  if (parsed.body.trim() === "") return "it has no text";
  const { description, "argument-hint": hint, model } = data;
  const others = Object.keys(parsed.fields).filter((field) => !understood.has(field));
  return {
    ...{ name, source, isPersonal, skill: undefined },
    description: onOneLine(description ?? firstLine(parsed.body)),
    argumentHint: hintOf(hint ?? undefined),
    ignored: [...(model && model !== "inherit" ? [`model (${onOneLine(model)})`] : []), ...others],
  };
}

/** A skill as a command. */
export function commandOf(skill: Skill): FileCommand {
  const { name, description, argumentHint, source, isPersonal, ignored } = skill;
  return { name, description, argumentHint, source, isPersonal, skill, ignored };
}

function firstLine(body: string): string {
  const line = body.trim().split("\n", 1)[0] ?? "";
  return line.replace(/^#+\s*/, "");
}
