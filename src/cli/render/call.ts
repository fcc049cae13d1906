import type { Paint } from "./paint.ts";
import { shown } from "./shown.ts";
import { wrapText } from "./wrap.ts";

/**
 * What a tool call would do, whole, for the person who decides on it: commands with all their
 * lines, edits as diffs, everything else by its arguments. Nothing is left out.
 */
export function describeCall(
  name: string,
  input: unknown,
  { width, paint }: { width: number; paint: Paint },
): string[] {
  return wrapText(shown(`${paint.bold(name)} ${JSON.stringify(input)}`), width);
}
