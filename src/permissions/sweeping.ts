import { basename } from "node:path";
import { contains } from "../lib/contains.ts";
import { type KnownArgument, knownValue, literal } from "./commands/argument.ts";
import { assess } from "./commands/assess.ts";
import { isExec } from "./commands/launchers.ts";
import type { ResolvedCommand } from "./commands/resolved-line.ts";
import { programName, unwrap } from "./commands/wrappers.ts";
import type { SpecialDirectories } from "./judged-call.ts";

const reason = "it would change whole folders, the team's own records among them";

/** Ways to name the directory that a command runs in, except `.`. */
const here = /\$\{?PWD\b|~\+|\$\(pwd\)|`pwd`/;

/**
 * Why a command that changes whole folders would also change the team's records, although it does
 * not name them. It cannot detect what a program's own code does.
 */
export function sweeping(
  command: ResolvedCommand,
  text: string,
  { teamDirectory }: SpecialDirectories,
): string | undefined {
  const { words, kind, uses, directory } = command;
  if (kind === "reads" || command.words.length === 0) return undefined;
  const values = words.map((word) => knownValue(word));
  if (placesRecords(command, basename(teamDirectory))) return reason;
  const name = programName(words[0]) ?? "";
  if (!isSweeping(name, values.slice(1))) return undefined;
  const covers = (real: string) => contains(real, teamDirectory);
  // Git's own patterns and `:/` are no paths, and may mean all of the repository.
  if (name === "git" && values.some((word) => /^:|[*?[]/.test(word ?? ""))) return reason;
  const isHere = sweepsByItself([name, ...values.slice(1)]) || hidesHere(values, text);
  if (isHere && covers(directory.real)) return reason;
  const target = values.findLastIndex((word) => !isOption(word));
  const isSwept = ({ place, use, word }: ResolvedCommand["uses"][number]) =>
    use === "write" && (name !== "rsync" || word === target) && covers(place.real);
  return uses.some(isSwept) ? reason : undefined;
}

/** A recursive change: of owners and modes, of deleted files, of files that git does not track. */
function isSweeping(name: string, words: readonly (string | undefined)[]): boolean {
  const has = (option: RegExp) => words.some((word) => option.test(word ?? ""));
  switch (name) {
    case "rm":
      return has(/^-[a-zA-Z]*[rR]|^--rec/);
    case "chown":
    case "chgrp":
    case "chmod":
      return has(/^-[a-zA-Z]*R|^--rec/);
    case "find":
      return has(/^-delete$/) || (changesWhatItFinds(words) && !findsCodeOnly(words));
    case "fd":
    case "fdfind":
      return changesWhatItFinds(words) && has(/^-[a-zA-Z]*[Hu]|^--(hid|unr)/);
    case "rsync":
      return has(/^--del/);
    case "git":
      return has(/^clean$/) && has(/^-[a-zA-Z]*[xX]/);
    default:
      return false;
  }
}

/** Without a folder in its arguments, it takes the one it runs in. */
function sweepsByItself([program, ...words]: readonly (string | undefined)[]): boolean {
  if (program === "find") return /^[-(!]/.test(words[0] ?? "-");
  if (/^fd/.test(program ?? "")) {
    const end = words.findIndex((word) => isExec(word));
    return words.slice(0, end).filter((word) => !isOption(word)).length < 2;
  }
  return program === "git" && words.slice(words.indexOf("clean") + 1).every(isOption);
}

function isOption(word: string | undefined): boolean {
  return word?.startsWith("-") ?? false;
}

/** An argument that is not known may be this directory, and a star may mean hidden files too. */
function hidesHere(values: readonly (string | undefined)[], text: string): boolean {
  if (/\b(dotglob|GLOBIGNORE)\b/.test(text)) return true;
  return values.includes(undefined) && here.test(text);
}

/** A copy under the records' own name, by options that are not known. */
function placesRecords({ words, problem }: ResolvedCommand, records: string): boolean {
  if (problem === undefined) return false;
  const isCopying = /^(cp|mv|ln|rsync|install)$/.test(programName(words[0]) ?? "");
  return isCopying && words.some((word) => basename(targetOf(knownValue(word) ?? "")) === records);
}

/** The folder that `-t.team` and `--target-directory=.team` name, or the word itself. */
function targetOf(word: string): string {
  return word.replace(/^(-[a-zA-Z]*t|--t[a-z-]*=)/, "");
}

/** The commands that find and fd are given to run, each from its program on. */
function commandsOf(words: readonly (string | undefined)[]): KnownArgument[][] {
  return words.flatMap((word, index) => {
    if (!isExec(word)) return [];
    const rest = words.slice(index + 1);
    const end = rest.findIndex((each) => /^[;+]$/.test(each ?? ""));
    return [rest.slice(0, end < 0 ? undefined : end).map((each) => literal(each ?? "{}"))];
  });
}

function changesWhatItFinds(words: readonly (string | undefined)[]): boolean {
  return commandsOf(words).some((command) => assess(command).kind !== "reads");
}

/** Names that none of the team's records has. */
const codeName = /\.(?!json|txt|md|lock|log|tmp)[a-z]\w*$/i;

/** True when only such names are found, by a test before anything is done: `-name '*.ts' -exec …`. */
function findsCodeOnly(words: readonly (string | undefined)[]): boolean {
  if (words.some((word) => /^(-o|-or|,|\(|!|-not)$/.test(word ?? ""))) return false;
  const action = words.findIndex(isExec);
  const test = words.findIndex(
    (word, index) => /^-i?name$/.test(word ?? "") && codeName.test(words[index + 1] ?? ""),
  );
  return test >= 0 && (action < 0 || test < action);
}

/** The same for a command that xargs gives the names of files to, whatever the source of the names. */
export function sweepingInput(
  { words, layers }: ResolvedCommand,
  commands: readonly ResolvedCommand[],
  { teamDirectory }: SpecialDirectories,
): string | undefined {
  if (!layers.some(isFed)) return undefined;
  const known = words.filter(({ type }) => type === "literal");
  if (known.length > 0 && assess(known).kind === "reads") return undefined;
  const others = commands.filter((command) => !command.layers.some(isFed));
  const isHarmless = (command: ResolvedCommand) => listsElsewhere(command, teamDirectory);
  return others.length > 0 && others.every(isHarmless) ? undefined : reason;
}

function isFed([name = ""]: readonly string[]): boolean {
  return /^(.*\/)?(xargs|parallel)$/s.test(name);
}

/**
 * True for a command that only prints names of files that are not the team's, or passes such names
 * on.
 */
function listsElsewhere({ words, kind, uses }: ResolvedCommand, teamDirectory: string): boolean {
  const [name = "", ...options] = words.map((word) => knownValue(word) ?? "");
  if (kind !== "reads") return false;
  const isElsewhere = uses.every(
    ({ place }) => !contains(place.real, teamDirectory) && !contains(teamDirectory, place.real),
  );
  const printsNames = options.some((option) => /^(-[a-zA-Z]*l|--files-with-matches)$/.test(option));
  const isPlain = !options.some((option) =>
    /^-(printf|[a-zA-Z]*o)|^--(only|others|no-i)/.test(option),
  );
  switch (name) {
    case "git":
      return isPlain && (options[0] === "ls-files" || (options[0] === "grep" && printsNames));
    case "find":
      return isPlain && ((uses.length > 0 && isElsewhere) || findsCodeOnly(options));
    case "grep":
    case "rg":
      return isPlain && isElsewhere && (uses.length === 0 || printsNames);
    case "sort":
    case "head":
    case "tail":
    case "uniq":
      return uses.length === 0;
    default:
      return false;
  }
}

/** True when the program it runs is one of the files it finds: `-exec {}`, `xargs -I{} {}`. */
export function runsWhatItFinds({ words, layers }: ResolvedCommand): boolean {
  const isFound = (run: readonly KnownArgument[]) =>
    /\{.*\}/.test(knownValue(innermost(run)[0]) ?? "{}");
  const isFinder = /^(find|fd|fdfind)$/.test(programName(words[0]) ?? "");
  if (isFinder && commandsOf(words.map(knownValue)).some(isFound)) return true;
  const fed = layers.find(isFed);
  if (!fed || words.length === 0) return false;
  const placeholder = fed.flatMap((word, index) =>
    /^(-I|-J|-i|--replace)/.test(word)
      ? [word.replace(/^(-[IJi]|--replace=?)/, "") || fed[index + 1]]
      : [],
  );
  const program = knownValue(words[0]);
  return program === undefined || ["{}", ...placeholder].some((it) => it && program.includes(it));
}

/** A command without what it is wrapped in. */
function innermost(words: readonly KnownArgument[]): readonly KnownArgument[] {
  const inner = unwrap(words);
  if (inner.type !== "command") return words;
  return innermost(inner.words.map((word) => (word.type === "pattern" ? literal("{}") : word)));
}
