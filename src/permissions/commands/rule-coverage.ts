import { entryOf, type KnownArgument, knownValue } from "./argument.ts";
import { curlOptions, interpreters, runnerOf, uncoverable } from "./changing-programs.ts";
import { changingGit, readGit } from "./git-programs.ts";
import { familyOf, type OpenProgram, openPrograms } from "./open-programs.ts";
import { parseArguments } from "./options.ts";
import { programName } from "./wrappers.ts";

/** Subcommands by the options whose value is prose, and so may be anything: `commit -m "$(…)"`. */
const proseOptions: Readonly<Record<string, RegExp>> = {
  "git commit": /^(-[aqsv]*m|--message)$/,
  "git merge": /^(-m|--message)$/,
  "git tag": /^(-a?m|--message)$/,
  "git stash": /^(-m|--message)$/,
  "gh pr": /^(-t|-b|--title|--body)$/,
  "gh issue": /^(-t|-b|--title|--body)$/,
};

/** Options that make any git subcommand run other code or write to a given place. */
const dangerousGit =
  "--exec-path --git-dir --work-tree --separate-git-dir --output --ext-diff --textconv --open-files-in-pager --recurse-submodules";

/** True for the value of an option that takes prose. */
function isProse(words: readonly KnownArgument[], index: number): boolean {
  const [program, subcommand] = words.map(knownValue);
  const options = proseOptions[`${program} ${subcommand}`];
  return options?.test(knownValue(words[index - 1]) ?? "") ?? false;
}

/**
 * Why a rule that names the first `covered` words of a command does not cover the rest of it:
 * arguments by which the program runs other code, or writes where nobody expects it.
 */
export function uncoveredArgument(
  words: readonly KnownArgument[],
  covered: number,
): string | undefined {
  const name = programName(words[0]) ?? "";
  if (uncoverable.has(name)) return `no rule covers whatever ${name} is subcommand to do`;
  const isUnclear = words.some(
    (word, index) =>
      index >= covered && !isClear(word) && !(isOneWord(word) && isProse(words, index)),
  );
  if (isUnclear) return "it has an argument that is not known";
  const runner = runnerOf(words.map(knownValue));
  const isNamed = words.slice(runner?.length, covered).some((word) => !isOption(word));
  if (runner && !isNamed) return `no rule names what ${runner.join(" ")} runs`;
  if (name === "git") return uncoveredGit(words);
  if (name === "curl") return uncoveredCurl(words.slice(1));
  const family = familyOf(name);
  if (entryOf(interpreters, family) && (covered === 1 || isOption(words[covered - 1]))) {
    return uncoveredCode(family, words.slice(1));
  }
  const values = words.map((word, index) =>
    isProse(words, index) ? "text" : (knownValue(word) ?? "0"),
  );
  // `npx eslint` and `python -m pytest` take the arguments of eslint and pytest.
  const run = covered > 1 ? familyOf(values[covered - 1] ?? "") : "";
  return uncoveredWord(family, values, covered) ?? uncoveredOption(run, values.slice(covered));
}

function isOption(word: KnownArgument | undefined): boolean {
  return knownValue(word)?.startsWith("-") ?? true;
}

function isClear(word: KnownArgument): boolean {
  return word.type === "literal" || word.isNumber;
}

function isOneWord(word: KnownArgument): boolean {
  return word.type === "literal" || word.isOneWord;
}

/** Why a program of the table has arguments that neither the rule nor the table covers. */
function uncoveredWord(
  family: string,
  words: readonly string[],
  covered: number,
): string | undefined {
  const program = entryOf(openPrograms, family);
  if (!program) return undefined;
  const start = program.subcommands === undefined ? 1 : subcommandAt(program, words, covered);
  const subcommand = words[start];
  if (subcommand?.startsWith("-") && program.subcommands !== undefined) {
    return `no rule covers ${family} with ${subcommand} before what it is to do`;
  }
  const entry = knownSubcommand(program, words.slice(start), covered - start);
  if (entry === undefined) return `no rule names what ${family} ${subcommand} does`;
  const rest = words.slice(Math.max(covered, start + entry));
  // The first letters of tar need no dash.
  if (family === "tar" && covered === 1) rest[0] = rest[0]?.replace(/^(?!-)/, "-") ?? "-t";
  const isAlone = list(program.alone).includes(subcommand ?? "") && covered <= start;
  if (isAlone && rest.some((word) => !word.startsWith("-"))) {
    return `no rule names what ${family} ${subcommand} fetches`;
  }
  return uncoveredOption(family, rest) ?? unlistedWord(family, program, rest);
}

function list(names: string | undefined): string[] {
  return names?.split(/\s+/) ?? [];
}

/** The position of the subcommand, after options that the rule names or that are known. */
function subcommandAt(program: OpenProgram, words: readonly string[], covered: number): number {
  let index = 1;
  for (let word = words[index]; word?.startsWith("-"); word = words[index]) {
    if (list(program.leadingWithValue).includes(word)) index += 2;
    else if (index < covered || list(program.leading).includes(word)) index++;
    else break;
  }
  return index;
}

/** How many words name the action; undefined if neither the rule nor the table names them. */
function knownSubcommand(
  program: OpenProgram,
  words: readonly string[],
  named: number,
): number | undefined {
  const [first] = words;
  if (program.subcommands === undefined || first === undefined) return 0;
  if (list(program.never).includes(first)) return undefined;
  const entry = program.subcommands
    .split(",")
    .map(list)
    .map((names) => names.filter((name) => name !== ""))
    .find((names) => names.every((name, index) => name === words[index]));
  if (entry) return entry.length;
  const isNamed = named > (list(program.groups).includes(first) ? 1 : 0);
  return isNamed ? named : undefined;
}

function uncoveredOption(family: string, words: readonly string[]): string | undefined {
  const program = entryOf(openPrograms, family);
  const dangers = list(program?.denied);
  const danger = own(program, words).find((word) =>
    isDangerous(word, dangers, !program?.hasLongLetters),
  );
  return danger && `${family} ${danger} may run other code or write elsewhere`;
}

/** The words that are the program's own. */
function own(program: OpenProgram | undefined, words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end >= 0 && program?.passesOn ? words.slice(0, end) : words;
}

function unlistedWord(
  family: string,
  program: OpenProgram,
  words: readonly string[],
): string | undefined {
  const { options, operands, isOptionsFirst } = program;
  let isOptions = true;
  for (const word of own(program, words)) {
    const expected = isOptions && word.startsWith("-") ? options : operands;
    if (isOptions && word === "--") isOptions = false;
    else if (expected?.test(word) === false) {
      return `${family} ${word} may run other code or reach elsewhere`;
    } else if (isOptionsFirst && expected === operands) return undefined;
  }
  return undefined;
}

/** Long names may be abbreviated or have one dash, letters joined, and values attached. */
function isDangerous(option: string, dangers: readonly string[], joins = true): boolean {
  const [, dashes = "", name = ""] = /^(-+)([^=,]+)/.exec(option) ?? [];
  if (name === "") return false;
  return dangers.some((danger) => {
    const plain = danger.replace(/^-+/, "");
    if (plain.length > 1) {
      const isLong = dashes.length > 1 || name.length > 1;
      return isLong && (plain.startsWith(name) || name.startsWith(plain));
    }
    if (!joins) return name === plain;
    return plain !== "" && dashes.length === 1 && name.includes(plain);
  });
}

function uncoveredGit(words: readonly KnownArgument[]): string | undefined {
  const call = readGit(words.slice(1));
  if ("problem" in call) return `git has ${call.problem}`;
  const { subcommand, rest } = call;
  const change = entryOf(changingGit, subcommand);
  if (!change) return `git ${subcommand} may run other code`;
  const values = rest.map((word) => knownValue(word) ?? "");
  if (values.some((value) => /(^|=)\w+::/.test(value)))
    return "git would run a transport of its own";
  const end = values.indexOf("--");
  const start = words.length - rest.length;
  const options = values
    .slice(0, end < 0 ? undefined : end)
    .filter((_, index) => !isProse(words, start + index));
  const dangers = list(`${dangerousGit} ${change.denied ?? ""}`.trim());
  const danger = options.find((option) => isDangerous(option, dangers));
  return danger && `git ${subcommand} ${danger} may run other code or write elsewhere`;
}

function uncoveredCurl(words: readonly KnownArgument[]): string | undefined {
  const call = parseArguments(curlOptions, words);
  if ("problem" in call) return `curl ${call.problem} may read or write files`;
  const isKept = call.paths.some((path) => knownValue(path) !== "/dev/null");
  if (isKept) return "curl would write a file";
  const isSent = call.scripts.some((value) => /^@|%output/.test(knownValue(value) ?? "@"));
  if (isSent) return "curl is given a file";
  // Brackets and braces make other addresses of one, `file:` among them.
  const isAddress = /^(https?:\/\/)?(?![a-z][a-z0-9+.-]*:\/|file:)[^@{}[\]\s][^{}[\]\s]*$/i;
  const odd = call.operands.find((operand) => !isAddress.test(knownValue(operand) ?? ""));
  return odd && "curl is given an address that may stand for others";
}

/** An interpreter runs the file it is given. Without one it runs other code. */
function uncoveredCode(name: string, words: readonly KnownArgument[]): string | undefined {
  const call = parseArguments({ ...interpreters[name], isOptionsFirst: true }, words);
  if ("problem" in call) return `${name} ${call.problem} may run other code`;
  const isReporter = call.paths.every((path) => /^[a-z]+$/.test(knownValue(path) ?? ""));
  if (!isReporter) return `${name} may load other code`;
  if (call.operands.length === 0 && call.given.has("--test")) return undefined;
  const isInput = call.operands.some((operand) =>
    /^(-$|\/dev\/|\/proc\/)/.test(knownValue(operand) ?? ""),
  );
  return call.operands.length === 0 || isInput ? `${name} reads code from its input` : undefined;
}
