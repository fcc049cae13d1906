import type { Redirection } from "unbash";
import { anyWords, knownValue } from "./argument.ts";
import type { OpenedFile } from "./command-line.ts";
import { evaluateWord, hasBraces, type Variables } from "./evaluate-word.ts";
import { lookInside } from "./expansions.ts";
import type { Walker } from "./walker.ts";

/** The files that a command's redirections open. What is in their words is looked into. */
export function openedFiles(
  redirections: readonly Redirection[],
  walker: Walker,
): readonly OpenedFile[] {
  return redirections.flatMap((redirection) => {
    lookInside(redirection, walker);
    if (isReadTwice(redirection)) walker.doubt("bash reads the target of its redirection twice");
    return openedFile(redirection, walker.variables) ?? [];
  });
}

/** bash expands what follows `>&` once to see whether it is a number, and then what came of that. */
function isReadTwice(redirection: Redirection): boolean {
  if (redirection.type !== "Redirect") return false;
  const { operator, target } = redirection;
  return (operator === ">&" || operator === "<&") && !/^[\w./-]+$/.test(target?.text ?? "");
}

/** The file a redirection opens; none for a here-document or a copy of a descriptor. */
function openedFile(redirection: Redirection, variables: Variables): OpenedFile | undefined {
  if (redirection.type !== "Redirect") return undefined;
  const { operator, target } = redirection;
  const [file, ...others] = target && !hasBraces(target) ? evaluateWord(target, variables) : [];
  if (!file || others.length > 0) return { use: "write", target: anyWords };
  const isDescriptor = operator === "<&" || operator === ">&";
  if (isDescriptor && /^(\d+-?|-)$/.test(knownValue(file) ?? "")) return undefined;
  return { use: operator === "<" ? "read" : "write", target: file };
}
