import type { SlashCommand } from "../talk/slash-commands.ts";

export interface CompletableCommand extends Pick<SlashCommand, "name" | "words"> {
  /** Whether files can be mentioned behind it (default: false). */
  readonly takesFiles?: boolean;
}

export interface Completables {
  /** Asked for only where they are needed. */
  commands(): readonly CompletableCommand[];
  /** The names that may follow `@`. */
  members: readonly string[];
  /** The ids of models. Asked for only where they are needed. */
  models(): readonly string[];
  /** The paths that may follow `@`. Asked for only where they are needed. */
  files(): readonly string[];
}

/** Candidates for `text` between `from` and `to`. */
export interface LineCompletion {
  from: number;
  to: number;
  candidates: string[];
}

/** Completes the word at the cursor: a `/command`, an `@member`, or a command's argument. */
export function complete(
  text: string,
  cursor: number,
  known: Completables,
): LineCompletion | undefined {
  const from = cursor - (text.slice(0, cursor).split(/\s/).at(-1)?.length ?? 0);
  const to = cursor + text.slice(cursor).search(/\s|$/);
  const word = text.slice(from, cursor);
  const words = wordsFor(text.slice(0, from), word, known);
  const fitting =
    words === "models"
      ? modelsFor(word, known.models())
      : [
          ...words.filter((candidate) => beginsWith(candidate, word)).toSorted(),
          ...(isMention(text, word, known) ? mentionsFor(word.slice(1), known.files()) : []),
        ];
  if (fitting.length === 0) return undefined;
  const isDone = fitting.length === 1 && fitting[0] === text.slice(from, to);
  return isDone ? undefined : { from, to, candidates: fitting };
}

/** A built-in command takes no files. */
function isMention(text: string, word: string, { commands }: Completables): boolean {
  if (!word.startsWith("@")) return false;
  const [, name] = /^\s*\/(\S+)/.exec(text) ?? [];
  if (name === undefined) return true;
  return commands().some((each) => each.name === name && each.takesFiles === true);
}

/** How many paths or models are offered. */
const maxPaths = 12;

function mentionsFor(word: string, files: readonly string[]): string[] {
  return bestOf(word, files).map((path) => (/\s/.test(path) ? `@"${path}"` : `@${path}`));
}

/** In a list of models, the last one is completed. */
function modelsFor(word: string, models: readonly string[]): string[] {
  const others = word.slice(0, word.lastIndexOf(",") + 1);
  return bestOf(word.slice(others.length), models).map((model) => others + model);
}

/** Paths that begin with the word first, then those that have a name that does, then others with it. */
function bestOf(word: string, paths: readonly string[]): string[] {
  const wanted = word.toLowerCase();
  const ranked: string[][] = [[], [], []];
  for (const path of paths) {
    const lower = path.toLowerCase();
    const at = lower.indexOf(wanted);
    if (at === -1) continue;
    const isName = lower.includes(`/${wanted}`);
    ranked[at === 0 ? 0 : isName ? 1 : 2]?.push(path);
  }
  return ranked
    .flatMap((paths) => paths.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)))
    .slice(0, maxPaths);
}

function beginsWith(candidate: string, word: string): boolean {
  return candidate.toLowerCase().startsWith(word.toLowerCase());
}

function wordsFor(
  before: string,
  word: string,
  { commands, members }: Completables,
): readonly string[] | "models" {
  const isFirst = before.trim() === "";
  if (isFirst && word.startsWith("/")) return commands().map(({ name }) => `/${name}`);
  const [, name, others = ""] = /^\s*\/(\S+)\s+(.*)$/s.exec(before) ?? [];
  if (word.startsWith("@") && name === undefined) return [...members, "all"].map(mentioned);
  const command = name === undefined ? undefined : commands().find((each) => each.name === name);
  const position = others.split(/\s+/).filter((each) => each !== "").length;
  const words = command?.words[position] ?? [];
  if (words !== "members" && words !== "members or all") return words;
  const names = words === "members" ? members : [...members, "all"];
  return word.startsWith("@") ? names.map(mentioned) : names;
}

function mentioned(name: string): string {
  return `@${name}`;
}
