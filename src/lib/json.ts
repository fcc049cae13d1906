import { z } from "zod";
import { TeamError } from "../errors.ts";
import { parseValue } from "./parse-value.ts";
import { readJson, TooDeep } from "./read-json.ts";

/** Parses `text` with `schema`; the error names `path` and the position of the problem. */
export function parseJson<T>(text: string, schema: z.ZodType<T>, path: string): T {
  let value: unknown;
  try {
    value = readJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const problem =
      error instanceof TooDeep ? ` ${error.message}` : `:${locateError(text)} is not JSON`;
    throw new TeamError("record-corrupt", `${path}${problem}`, { cause: error });
  }
  const parsed = parseValue(schema, value);
  if (parsed.success) return parsed.data;
  throw new TeamError("record-corrupt", `${path}, ${describeIssue(parsed.error)}`, {
    cause: parsed.error,
  });
}

/** A schema for text that is JSON of `schema`. */
export function jsonString<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return readJson(text);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        const message = error instanceof TooDeep ? error.message : "is not JSON";
        context.addIssue({ code: "custom", message });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** The first problem with a value, and its position in the value. */
export function describeIssue({ issues: [issue] }: z.ZodError): string {
  const where = issue?.path.length ? `at ${z.core.toDotPath(issue.path)}` : "as a whole";
  return `${where}: ${issue?.message}`;
}

/** `line:column` of the first character of `text` that JSON does not allow. */
function locateError(text: string): string {
  // V8 does not always report where it stopped. A text that is only cut short is valid so far, so
  // the longest such beginning ends right before the error.
  let good = 0;
  let bad = text.length + 1;
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isBeginning(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  const before = text.slice(0, good).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const position = /at position (\d+)/.exec(error.message)?.[1];
    return Number(position) === text.length || /end of JSON|Unterminated/.test(error.message);
  }
}
