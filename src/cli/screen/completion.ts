import type { SlashCommand } from "../talk/slash-commands.ts";

type CompletableCommand = Pick<SlashCommand, "name" | "words">;

export interface Completables {
  commands: readonly CompletableCommand[];
  /** The names that may follow `@`. */
  members: readonly string[];
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
  { commands, members }: Completables,
): LineCompletion | undefined {
  const from = cursor - (text.slice(0, cursor).split(/\s/).at(-1)?.length ?? 0);
  const to = cursor + text.slice(cursor).search(/\s|$/);
  const word = text.slice(from, cursor);
  const candidates = candidatesFor(text.slice(0, from), word, { commands, members });
  const fitting = candidates.filter((candidate) =>
    candidate.toLowerCase().startsWith(word.toLowerCase()),
  );
  if (fitting.length === 0) return undefined;
  const isDone = fitting.length === 1 && fitting[0] === text.slice(from, to);
  return isDone ? undefined : { from, to, candidates: fitting.toSorted() };
}

function candidatesFor(
  before: string,
  word: string,
  { commands, members }: Completables,
): readonly string[] {
  const isFirst = before.trim() === "";
  if (isFirst && word.startsWith("/")) return commands.map(({ name }) => `/${name}`);
  if (word.startsWith("@")) return members.map((name) => `@${name}`);
  const [, name, others = ""] = /^\s*\/(\S+)\s+(.*)$/s.exec(before) ?? [];
  const command = commands.find((each) => each.name === name);
  const position = others.split(/\s+/).filter((each) => each !== "").length;
  const words = command?.words[position] ?? [];
  return words === "members" ? members : words;
}
