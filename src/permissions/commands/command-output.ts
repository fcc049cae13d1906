import type { Command, WordPart } from "unbash";
import { entryOf, hasPatternSign } from "./argument.ts";

export type CommandScript = Extract<WordPart, { type: "CommandExpansion" }>["script"];

/** The text of `$(cat <<'EOF' …)`, by which messages of several lines are given. */
export function literalOutput(script: CommandScript | undefined): string | undefined {
  const [statement, ...others] = script?.commands ?? [];
  const command = statement?.command;
  if (others.length > 0 || command?.type !== "Command" || command.name?.text !== "cat") return;
  const [document, ...rest] = command.suffix;
  if (rest.length > 0 || command.prefix.length > 0 || document?.type !== "HereDoc") return;
  // Without quotes lines are joined and expanded, and `<<-` takes tabs away.
  if (document.operator !== "<<" || !document.delimiter?.quoted) return;
  return document.body.text.replace(/\n+$/, "");
}

/**
 * Programs that print numbers, times, hashes and names in which there is no sign of a pattern, with
 * the arguments at which they print nothing else.
 */
const plainPrinters: Readonly<Record<string, RegExp>> = {
  seq: /^[\d -]*$/,
  date: /^.*$/,
  nproc: /^$/,
  uname: /^[\w -]*$/,
  whoami: /^$/,
  id: /^[\w -]*$/,
  wc: /^(-[clmwL]+)?$/,
  git: /^(rev-parse (--(short|abbrev-ref|verify) )*(HEAD|@)[~^\d]*|branch --show-current|merge-base [\w/. -]+|rev-list --count [\w/.~^ -]+)$/,
};

/** True when nothing that a script prints can be taken for a pattern. */
export function isPlainOutput(script: CommandScript): boolean {
  const [statement, ...others] = script?.commands ?? [];
  if (!statement || others.length > 0) return false;
  const { command } = statement;
  const last = command.type === "Pipeline" ? command.commands.at(-1) : command;
  return last?.type === "Command" && isPlainPrinter(last);
}

function isPlainPrinter({ name, args, prefix }: Command): boolean {
  const program = name?.text ?? "";
  const words = args.map((word) => (word.type === "Word" && !word.parts ? word.text : "*"));
  if (prefix.length > 0 || words.some(hasPatternSign)) return false;
  const printed = entryOf(plainPrinters, program);
  return printed?.test(words.join(" ")) ?? false;
}
