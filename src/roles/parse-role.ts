import { parseFrontMatter } from "../lib/front-matter.ts";
import { nearest } from "../lib/nearest.ts";
import type { FieldNote, RoleDefinition } from "./role.ts";
import { fieldNames, fieldReaders, ignoredFields } from "./role-fields.ts";
import { RoleDescription, RoleName } from "./role-name.ts";

/** A role as its file says, with what of the file cannot be in force. */
export interface ParsedRole {
  readonly role: RoleDefinition;
  readonly problems: readonly FieldNote[];
  readonly ignored: readonly FieldNote[];
}

/** They are part of every request of a member. */
const maxPromptBytes = 64 * 1024;

/**
 * Reads a role file. One that names no role has a `problem`. `fallbackName` is the name where the file
 * states none (default: it must).
 */
export async function parseRole(
  text: string,
  fallbackName?: string,
): Promise<ParsedRole | { readonly problem: string }> {
  const parsed = await parseFrontMatter(text);
  if ("problem" in parsed) return parsed;
  const { name: stated = fallbackName, description, ...fields } = parsed.fields;
  const name = RoleName.safeParse(stated);
  if (!name.success) return { problem: lacks("name", stated, "a short name on one line") };
  const about = RoleDescription.safeParse(description);
  if (!about.success) return { problem: lacks("description", description, "a text") };
  const prompt = parsed.body.replaceAll("\r\n", "\n").trim();
  if (Buffer.byteLength(prompt) > maxPromptBytes) {
    return { problem: `its text has more than ${maxPromptBytes} bytes` };
  }
  return readFields(fields, { name: name.data, description: about.data, prompt });
}

function lacks(field: string, value: unknown, kind: string): string {
  return value === undefined || value === null
    ? `it has no ${field}`
    : `its ${field} is wrong: it must be ${kind}`;
}

function readFields(fields: Readonly<Record<string, unknown>>, start: RoleDefinition): ParsedRole {
  let role = start;
  const problems: FieldNote[] = [];
  const ignored: FieldNote[] = [];
  for (const [field, value] of Object.entries(fields)) {
    const read = fieldReaders.get(field);
    const harmless = ignoredFields.get(field);
    if (field === "disable") problems.push(...disabled(value));
    else if (harmless !== undefined) ignored.push({ field, text: harmless });
    else if (!read) problems.push(unknown(field));
    else if (value === null)
      problems.push({ field, text: "is empty: leave it out, or fill it in" });
    else {
      const reading = read(value);
      if ("problem" in reading) problems.push({ field, text: reading.problem });
      else {
        role = merged(role, reading.part);
        ignored.push(...(reading.ignored ?? []));
      }
    }
  }
  return { role, problems, ignored };
}

/** Two fields can add to one list, as `tools` and `permission` of opencode do. */
function merged(role: RoleDefinition, part: Partial<RoleDefinition>): RoleDefinition {
  const { disallowedTools: more } = part;
  if (!more || !role.disallowedTools) return { ...role, ...part };
  return { ...role, ...part, disallowedTools: [...role.disallowedTools, ...more] };
}

function disabled(value: unknown): FieldNote[] {
  return value === false ? [] : [{ field: "disable", text: "says that it is not to be used" }];
}

function unknown(field: string): FieldNote {
  const meant = nearest(field, fieldNames);
  const advice = meant === undefined ? "Remove it." : `Did you mean ${meant}? Else remove it.`;
  return { field, text: `is not known. ${advice}` };
}
