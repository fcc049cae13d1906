import { type Argument, anyWords, type KnownArgument, knownValue } from "./argument.ts";
import { guessOperand, type OptionList, parseArguments } from "./options.ts";
import { isHarmlessVariable } from "./variables.ts";

/** What a command turns out to run. */
export type Inner =
  /** Itself. */
  | { readonly type: "none"; readonly doubt?: string }
  /** Another command. */
  | { readonly type: "command"; readonly words: readonly Argument[]; readonly doubt?: string }
  /** A script that it is given as text. */
  | { readonly type: "script"; readonly script: string; readonly doubt?: string };

/** Programs that run the command in their arguments. Their own operands before it are counted. */
const wrappers: Readonly<Record<string, OptionList & { readonly operands?: number }>> = {
  timeout: {
    flags: "--foreground --preserve-status -v --verbose",
    text: "-k --kill-after -s --signal",
    operands: 1,
  },
  nice: { text: "-n --adjustment", hasNumbers: true },
  nohup: {},
  time: { flags: "-p -v" },
  stdbuf: { text: "-i -o -e --input --output --error" },
  setsid: { flags: "-w --wait -f --fork -c --ctty" },
  ionice: { flags: "-t", text: "-c -n --class --classdata" },
  command: { flags: "-p" },
  builtin: {},
  env: { flags: "-i --ignore-environment -0 --null", text: "-u --unset" },
  xargs: {
    flags: "-0 --null -r --no-run-if-empty -t --verbose -x",
    text: "-n --max-args -P --max-procs -L -s -d --delimiter -E -I",
  },
  sudo: { flags: "-n -E -H -k -S -b", text: "-u -g --user --group" },
  doas: { flags: "-n", text: "-u" },
};

const shells: ReadonlySet<string> = new Set(["bash", "sh", "dash", "zsh", "ksh"]);

/** Takes off one wrapping, if there is one. */
export function unwrap(words: readonly Argument[]): Inner {
  const name = programName(words[0]);
  if (name === undefined) return { type: "none" };
  const inner = unwrapNamed(name, words.slice(1));
  if (inner.type === "none" || isSystemProgram(words[0])) return inner;
  return { ...inner, doubt: `${knownValue(words[0])} may be another program than ${name}` };
}

function unwrapNamed(name: string, words: readonly Argument[]): Inner {
  if (shells.has(name)) return unwrapShell(words);
  const list = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  const isQuestion = name === "command" && /^-p?[vV]/.test(knownValue(words[0]) ?? "");
  return list && !isQuestion ? unwrapProgram(name, list, words) : { type: "none" };
}

/** The name a program is known by: `/bin/rm` is `rm`. */
export function programName(word: Argument | undefined): string | undefined {
  return knownValue(word)?.replace(/^.*\//s, "");
}

/** True for a program found by its name, or in the system's own folders. */
export function isSystemProgram(word: Argument | undefined): boolean {
  return /^(\/(usr\/)?s?bin\/)?[^/]+$/.test(knownValue(word) ?? "");
}

function unwrapProgram(
  name: string,
  list: OptionList & { readonly operands?: number },
  words: readonly Argument[],
): Inner {
  const parsed = parseArguments({ ...list, isOptionsFirst: true }, words.map(withoutPattern));
  if ("problem" in parsed) {
    // For rules that deny, a guess at what is run is better than none.
    const guess = words.slice(guessOperand(list, words)).slice(list.operands ?? 0);
    const doubt = `${name} is given ${parsed.problem}`;
    return guess.length > 0 ? { type: "command", words: guess, doubt } : { type: "none", doubt };
  }
  const operands = words.slice(words.length - parsed.operands.length).slice(list.operands ?? 0);
  const variables = name === "env" ? leadingVariables(operands) : [];
  const inner = operands.slice(variables.length);
  const doubt = wrapperDoubt(name, parsed.given, variables);
  if (inner.length === 0) return { type: "none", ...doubt };
  return { type: "command", words: name === "xargs" ? [...inner, anyWords] : inner, ...doubt };
}

function leadingVariables(words: readonly Argument[]): string[] {
  const end = words.findIndex((word) => !/^\w+=/.test(startOf(word)));
  return words.slice(0, end < 0 ? undefined : end).map((word) => startOf(word).replace(/=.*/s, ""));
}

function wrapperDoubt(
  name: string,
  given: ReadonlySet<string>,
  variables: readonly string[],
): { doubt?: string } {
  const leading = variables.find((variable) => !isHarmlessVariable(variable));
  if (leading) return { doubt: `it sets ${leading} for a program` };
  if (name === "sudo" || name === "doas") return { doubt: "it is run as another user" };
  return given.has("-I") ? { doubt: "xargs puts what it reads into the command" } : {};
}

function startOf(word: Argument | undefined): string {
  return word?.type === "unknown" ? word.start : (knownValue(word) ?? "");
}

/** A pattern among a wrapper's own arguments is a file's name, and no option. */
function withoutPattern(word: Argument): KnownArgument {
  return word.type === "pattern" ? { ...anyWords, start: "./", isOneWord: true } : word;
}

/** `bash -c '…'` is judged by its script; any other shell reads commands from where nobody looks. */
function unwrapShell(words: readonly Argument[]): Inner {
  const [option, script] = words.map(knownValue);
  if (option !== undefined && /^-[eux]*c$/.test(option) && script !== undefined) {
    return { type: "script", script };
  }
  if (words.length === 1 && option === "--version") return { type: "none" };
  return { type: "none", doubt: "it starts a shell whose commands are not in the line" };
}

/** What `npx …` and `find … -exec …` would run besides, for rules that deny or ask. */
export function alsoRun(words: readonly Argument[]): readonly (readonly Argument[])[] {
  const values = words.map((word) => knownValue(word) ?? "");
  if (/^(npx|bunx|pnpx)$/.test(values[0] ?? "")) return [words.slice(1)];
  return values.flatMap((value, index) =>
    /^-(exec|execdir|ok|okdir|x|X)$/.test(value) ? [words.slice(index + 1)] : [],
  );
}
