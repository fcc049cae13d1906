import { z } from "zod";
import { firstCharacters } from "../lib/cut-text.ts";
import { parseFrontMatter } from "../lib/front-matter.ts";
import { parseValue } from "../lib/parse-value.ts";
import type { TextSource } from "./text-source.ts";

/** A skill as a team knows it before anybody uses it. */
export interface Skill {
  readonly name: string;
  /** What it is for and when to use it, on one line. */
  readonly description: string;
  /** The real path of its directory. */
  readonly directory: string;
  /** Its `SKILL.md`. */
  readonly source: TextSource;
  readonly isPersonal: boolean;
  /** The tools that its author has in mind, in their words. They permit nothing. */
  readonly suggestedTools: readonly string[];
  /** Whether members are told of it, and may read it by themselves. */
  readonly isForModel: boolean;
  /** Whether the person can call it as `/name`. */
  readonly isForPerson: boolean;
  /** What to write behind `/name`. */
  readonly argumentHint: string | undefined;
  /** The fields of its file that have no effect here. */
  readonly ignored: readonly string[];
}

/** What the format says of a name. */
const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** What can be typed, where the file has a title for a name. */
const directoryPattern = /^[A-Za-z0-9][\w.-]*$/;
const maxNameCharacters = 64;
/** As the format has it. A longer one is cut. */
const maxDescriptionCharacters = 1024;

/** A list of tools as it is written: one text, or a list of them. Rules in brackets may have spaces. */
export const ToolList = z
  .union([z.string(), z.array(z.string())])
  .transform((given) =>
    [given].flat().flatMap((text) => text.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []),
  );

const SkillFields = z.looseObject({
  name: z.string().optional(),
  description: z.string().trim().min(1),
  when_to_use: z.string().optional(),
  "allowed-tools": ToolList.optional(),
  "argument-hint": z.union([z.string(), z.array(z.string())]).optional(),
  "disable-model-invocation": z.boolean().optional(),
  "user-invocable": z.boolean().optional(),
});

/** In force, or for people and other programs only. */
const understood = new Set([
  ...Object.keys(SkillFields.shape),
  "license",
  "compatibility",
  "metadata",
  "version",
  "author",
]);

interface SkillPlace {
  /** The name of its directory. */
  entry: string;
  directory: string;
  source: TextSource;
  isPersonal: boolean;
}

/** Reads the head of a `SKILL.md`, or says what is wrong with it. */
export async function parseSkill(text: string, place: SkillPlace): Promise<Skill | string> {
  const parsed = await parseFrontMatter(text);
  if ("problem" in parsed) return parsed.problem;
  const { data, error } = parseValue(SkillFields, parsed.fields);
  if (!data) return fieldProblem(error);
  const name = nameOf(data.name, place.entry);
  if (name === undefined) return "neither its name nor that of its directory is one of a skill";
  const described = [data.description, data.when_to_use ?? ""].join(" ");
  const { entry: _, ...rest } = place;
  return {
    ...rest,
    name,
    description: onOneLine(described),
    suggestedTools: data["allowed-tools"] ?? [],
    isForModel: data["disable-model-invocation"] !== true,
    isForPerson: data["user-invocable"] !== false,
    argumentHint: hintOf(data["argument-hint"]),
    ignored: Object.keys(parsed.fields).filter((field) => !understood.has(field)),
  };
}

export function fieldProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  const field = issue?.path.join(".") || "front matter";
  const isMissing = issue?.code === "invalid_type" && issue.message.includes("undefined");
  return isMissing ? `it has no ${field}` : `its ${field} is wrong: ${issue?.message}`;
}

export function hintOf(given: string | readonly string[] | undefined): string | undefined {
  if (given === undefined) return undefined;
  // YAML takes [file] for a list.
  return typeof given === "string" ? onOneLine(given) : given.map((word) => `[${word}]`).join(" ");
}

export function onOneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const cut = firstCharacters(line, maxDescriptionCharacters);
  return cut.length < line.length ? `${cut}…` : cut;
}

function nameOf(given: string | undefined, entry: string): string | undefined {
  const isShort = (name: string) => name.length <= maxNameCharacters;
  if (given !== undefined && namePattern.test(given) && isShort(given)) return given;
  return directoryPattern.test(entry) && isShort(entry) ? entry : undefined;
}
