import type { Assignment, Command, Redirection, Word } from "unbash";
import { type Argument, anyWords, knownValue } from "./argument.ts";
import { shellItself } from "./command-collector.ts";
import {
  assignedValue,
  evaluateArgument,
  evaluateWord,
  hasBraces,
  type Variables,
} from "./evaluate-word.ts";
import { lookInside } from "./expansions.ts";
import type { OpenedFile, SimpleCommand } from "./line-commands.ts";
import { isHarmlessAssignment } from "./variables.ts";
import type { Walker } from "./walker.ts";

interface WordLimit {
  /** False when there are more words than can be looked at. */
  hasRoomFor(words: number): boolean;
}

/** A command as it is written, with its words expanded; undefined where there are too many of them. */
export function writtenCommand(
  node: Command,
  walker: Walker,
  room: WordLimit,
): Omit<SimpleCommand, "routes"> | undefined {
  const assignments = node.prefix.filter((part) => part.type === "Assignment");
  for (const assignment of assignments) lookInside(assignment, walker);
  const opened = openedFiles(node.redirects, walker);
  const written = [node.name, ...node.args].filter((part) => part !== undefined);
  for (const part of written) lookInside(part, walker);
  const words = expandedWords(written, walker, room);
  const listed = assignments.flatMap((assignment) => arrayValues(assignment, walker));
  if (!words || !room.hasRoomFor(listed.length)) return undefined;
  const command = { ...shellItself, words, listed, opened };
  const caution = patternProblem([...words, ...listed]);
  if (node.name) return { ...command, caution, doubt: assignmentDoubt(assignments, walker) };
  for (const assignment of assignments) {
    walker.assign(assignment.name, assignedValue(assignment, walker.variables));
  }
  return { ...command, caution };
}

function expandedWords(
  written: readonly (Word | Assignment)[],
  { variables }: Walker,
  room: WordLimit,
): Argument[] | undefined {
  const words: Argument[] = [];
  for (const part of written) {
    words.push(...evaluateArgument(part, variables));
    if (!room.hasRoomFor(words.length)) return undefined;
  }
  return words;
}

/** The shell looks for files with the values of an array as it does with the words of a command. */
function arrayValues({ value }: Assignment, { variables }: Walker): Argument[] {
  if (value.type !== "ArrayValue") return [];
  return value.elements.flatMap((word) => evaluateWord(word, variables));
}

/** Some shells keep what is assigned before a builtin. */
function assignmentDoubt(
  assignments: readonly Assignment[],
  { variables }: Walker,
): string | undefined {
  for (const { name } of assignments) variables.set(name, anyWords);
  const leading = assignments.find((assignment) => !isHarmlessAssignment(assignment, variables));
  return leading && `it sets ${leading.name} for a program`;
}

/** Where a pattern is not known, the folders in which the shell looks for files are not known. */
export function patternProblem(words: readonly Argument[]): string | undefined {
  const isUnknown = words.some((word) => word.type === "unknown" && word.mayBePattern);
  return isUnknown
    ? "it may look for files outside the workspace, by a pattern that is not known"
    : undefined;
}

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
