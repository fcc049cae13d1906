import { z } from "zod";
import { TeamError } from "../errors.ts";

/** Parses `text` by `schema`; the error names `path` and the place in it that is wrong. */
export function parseJson<T>(text: string, schema: z.ZodType<T>, path: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new TeamError("record-corrupt", `${path}${locate(text, error)} is not JSON`, {
      cause: error,
    });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `, at ${z.core.toDotPath(issue.path)}` : "";
  throw new TeamError("record-corrupt", `${path}${where}: ${issue?.message}`, {
    cause: parsed.error,
  });
}

/** `:line:column` of what V8 complained about, where its message says so. */
function locate(text: string, { message }: SyntaxError): string {
  const position = /at position (\d+)/.exec(message)?.[1];
  const offset = position === undefined ? text.length : Number(position);
  const before = text.slice(0, offset).split("\n");
  return `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}
