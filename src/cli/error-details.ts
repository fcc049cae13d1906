import { TeamError } from "../errors.ts";

/** The name, code, message and stack of an error and of its causes, one per line. */
export function errorDetails(error: unknown): string[] {
  const seen = new Set<unknown>();
  const lines: string[] = [];
  const add = (each: unknown, prefix: string) => {
    if (seen.has(each) || seen.size >= maxErrors) return;
    seen.add(each);
    lines.push(...detailsOf(each, prefix));
    if (!(each instanceof Error)) return;
    if (each instanceof AggregateError) for (const one of each.errors) add(one, "one of them: ");
    if (each.cause !== undefined) add(each.cause, "caused by ");
  };
  add(error, "");
  return lines;
}

/** A chain of causes may be long or circular. */
const maxErrors = 20;

function detailsOf(error: unknown, prefix: string): string[] {
  if (!(error instanceof Error)) return [`${prefix}${String(error)}`];
  const code = codeOf(error);
  const title = `${prefix}${error.name}${code ? ` (${code})` : ""}: ${error.message}`;
  const stack = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [title, ...stack.map((line) => `  ${line.trim()}`)];
}

function codeOf(error: Error): string | undefined {
  if (error instanceof TeamError) return error.code;
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}
