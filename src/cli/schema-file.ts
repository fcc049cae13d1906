import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { reasonOf, TeamError } from "../errors.ts";
import { readJson } from "../lib/read-json.ts";

/** No schema for a prompt is larger: the two together must fit into a message. */
const maxBytes = 256 * 1024;

/** The JSON Schema in the file that `--schema` names. Throws `config-invalid` where there is none. */
export async function readSchemaFile(
  file: string,
  { cwd }: { cwd: string },
): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(cwd, file);
  const schema = parsed(path, await textOf(path));
  const { readSchema } = await import("../team/protocols/result-schema.ts");
  readSchema(schema);
  return schema;
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) throw wrong(path, `has more than ${maxBytes} bytes`);
    return await readFile(path, "utf8");
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    throw wrong(path, `cannot be read: ${error.message}`, error);
  }
}

function parsed(path: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const value = readJson(text);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw wrong(path, `is not JSON: ${reasonOf(error)}`, error);
  }
  throw wrong(path, "is not a JSON object");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(path: string, problem: string, cause?: unknown): TeamError {
  return new TeamError("config-invalid", `--schema ${path} ${problem}`, {
    cause,
    hint: 'Give a file with a JSON Schema, such as {"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}.',
  });
}
