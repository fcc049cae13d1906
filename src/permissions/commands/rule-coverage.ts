import { type KnownArgument, knownValue } from "./argument.ts";
import {
  curlOptions,
  dangerousOptions,
  harmlessMakeVariable,
  interpreters,
  runners,
  uncoverable,
} from "./changing-programs.ts";
import { changingGit, readGit } from "./git-programs.ts";
import { parseArguments } from "./options.ts";
import { programName } from "./wrappers.ts";

/** Programs whose long options have one dash, so that letters do not stand for options. */
const separateLetters: ReadonlySet<string> = new Set([
  "mvn",
  "go",
  "java",
  "gcc",
  "clang",
  "gofmt",
]);

/** Subcommands by the options whose value is prose, and so may be anything: `commit -m "$(…)"`. */
const proseOptions: Readonly<Record<string, RegExp>> = {
  "git commit": /^(-[aqsv]*m|--message)$/,
  "git merge": /^(-m|--message)$/,
  "git tag": /^(-a?m|--message)$/,
  "git stash": /^(-m|--message)$/,
  "gh pr": /^(-t|-b|--title|--body)$/,
  "gh issue": /^(-t|-b|--title|--body)$/,
};

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
  if (uncoverable.has(name)) return `no rule covers whatever ${name} is told to do`;
  const isUnclear = words.some(
    (word, index) =>
      index >= covered && !isClear(word) && !(isOneWord(word) && isProse(words, index)),
  );
  if (isUnclear) return "it has an argument that is not known";
  const runner = runners.find((start) =>
    start.every((word, index) => word === knownValue(words[index])),
  );
  const isNamed = words.slice(runner?.length, covered).some((word) => !isOption(word));
  if (runner && !isNamed) return `no rule names what ${runner.join(" ")} runs`;
  if (name === "git") return uncoveredGit(words);
  if (name === "curl") return uncoveredCurl(words.slice(1));
  if (Object.hasOwn(interpreters, name) && (covered === 1 || isOption(words[covered - 1]))) {
    return uncoveredCode(name, words.slice(1));
  }
  return uncoveredOption([name, knownValue(words[covered - 1]) ?? ""], words, covered);
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

function uncoveredOption(
  names: readonly string[],
  words: readonly KnownArgument[],
  covered: number,
): string | undefined {
  const own = words.slice(covered).map((word) => knownValue(word) ?? "");
  const end = own.indexOf("--");
  const options = end < 0 ? own : own.slice(0, end);
  // The first letters of tar need no dash.
  if (names[0] === "tar" && covered === 1) options[0] = options[0]?.replace(/^(?!-)/, "-") ?? "";
  for (const name of names) {
    const dangers = Object.hasOwn(dangerousOptions, name) ? (dangerousOptions[name] ?? "") : "";
    const joins = !separateLetters.has(name);
    const danger = options.find((option) => isDangerous(option, dangers.split(/\s+/), joins));
    if (danger) return `${name} ${danger} may run other code or write elsewhere`;
  }
  const isMake = names[0] === "make" || names[0] === "gmake";
  const variable =
    isMake && options.find((word) => /^\w+[?:+]?=/.test(word) && !harmlessMakeVariable.test(word));
  return variable ? `${variable} changes what make runs` : undefined;
}

/** Long names may be abbreviated, letters joined, and values attached. */
function isDangerous(option: string, dangers: readonly string[], joins = true): boolean {
  const [name = ""] = option.split("=");
  if (!name.startsWith("-") || name.length < 2) return false;
  return dangers.some((danger) => {
    if (danger === "") return false;
    if (danger.length > 2) {
      return name.length > 2 && (danger.startsWith(name) || name.startsWith(danger));
    }
    if (name.startsWith("--")) return false;
    return joins ? name.includes(danger.slice(1)) : name.startsWith(danger);
  });
}

function uncoveredGit(words: readonly KnownArgument[]): string | undefined {
  const call = readGit(words.slice(1));
  if ("problem" in call) return `git is given ${call.problem}`;
  const { subcommand, rest } = call;
  const change = Object.hasOwn(changingGit, subcommand) ? changingGit[subcommand] : undefined;
  if (!change) return `git ${subcommand} may run other code`;
  const values = rest.map((word) => knownValue(word) ?? "");
  if (values.some((value) => /^\w+::/.test(value))) return "git would run a transport of its own";
  const end = values.indexOf("--");
  const start = words.length - rest.length;
  const options = values
    .slice(0, end < 0 ? undefined : end)
    .filter((_, index) => !isProse(words, start + index));
  const dangers = `${change.denied ?? ""} ${dangerousOptions.git ?? ""}`.split(/\s+/);
  const danger = options.find((option) => isDangerous(option, dangers));
  return danger && `git ${subcommand} ${danger} may run other code or write elsewhere`;
}

function uncoveredCurl(words: readonly KnownArgument[]): string | undefined {
  const call = parseArguments(curlOptions, words);
  if ("problem" in call) return `curl ${call.problem} may read or write files`;
  const values = words.map((word) => knownValue(word) ?? "");
  const isFile = values.some((value, index) => {
    const before = values[index - 1] ?? "";
    if (/^-\w*o$/.test(before)) return value !== "/dev/null";
    if (/^-\w*o./.test(value) && !value.startsWith("--")) return true;
    return /^@|%output|^file:/i.test(value) || /^(--data|-d)=?@/.test(value) || /=@/.test(value);
  });
  return isFile ? "curl is given a file" : undefined;
}

/** An interpreter runs the file it is given. Without one it runs what it is told. */
function uncoveredCode(name: string, words: readonly KnownArgument[]): string | undefined {
  const list = interpreters[name] ?? {};
  const call = parseArguments({ ...list, isOptionsFirst: true }, words);
  if ("problem" in call) return `${name} ${call.problem} may run other code`;
  const script = knownValue(call.operands[0]);
  if (script === undefined && !call.given.has("--test")) return `${name} reads code from its input`;
  return script === "-" ? `${name} reads code from its input` : undefined;
}
