import type { Redirection } from "unbash";
import { anyWords, knownValue } from "./argument.ts";
import { evaluateWord, type Variables } from "./evaluate-word.ts";
import type { OpenedFile } from "./line.ts";

/** The file a redirection opens; none for a here-document or a copy of a descriptor. */
export function openedFile(redirection: Redirection, variables: Variables): OpenedFile | undefined {
  if (redirection.type !== "Redirect") return undefined;
  const { operator, target } = redirection;
  const [file, ...others] = target ? evaluateWord(target, variables) : [];
  if (!file || others.length > 0) return { use: "write", target: anyWords };
  const isDescriptor = operator === "<&" || operator === ">&";
  if (isDescriptor && /^(\d+-?|-)$/.test(knownValue(file) ?? "")) return undefined;
  return { use: operator === "<" ? "read" : "write", target: file };
}
