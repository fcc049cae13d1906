import { type Argument, anyWords, entryOf, type KnownArgument, knownValue } from "./argument.ts";
import { guessOperand, type OptionList, parseArguments } from "./options.ts";
import { isHarmlessSetting } from "./variables.ts";

/** What a command turns out to run. */
export type Inner =
  /** Itself. `isUntold` when it runs programs that are not in its words. */
  | {
      readonly type: "none";
      readonly hidesProgram: boolean;
      readonly isGuess: boolean;
      readonly doubt?: string;
    }
  /** Another command; where it begins is a guess when not all options are known. */
  | {
      readonly type: "command";
      readonly words: readonly Argument[];
      readonly isGuess: boolean;
      readonly doubt?: string;
    }
  /** A script that it is given as text, in a shell of its own or in this one. */
  | {
      readonly type: "script";
      readonly script: string;
      readonly isOwnShell: boolean;
      readonly doubt?: string;
    };

const itself = { type: "none", hidesProgram: false, isGuess: false } as const;

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
  exec: { flags: "-c -l", text: "-a" },
  env: { flags: "-i --ignore-environment -0 --null", text: "-u --unset" },
  xargs: {
    flags: "-0 --null -r --no-run-if-empty -t --verbose -x",
    text: "-n --max-args -P --max-procs -L -s -d --delimiter -E -I -a --arg-file",
  },
  sudo: { flags: "-n -E -H -k -S -b", text: "-u -g --user --group" },
  doas: { flags: "-n", text: "-u" },
};

/** Takes off one wrapping, if there is one. */
export function unwrap(words: readonly Argument[]): Inner {
  const name = programName(words[0]);
  if (name === undefined) return itself;
  const inner = unwrapNamed(name, words.slice(1));
  if (inner.type === "none" || isSystemProgram(words[0])) return inner;
  return { ...inner, doubt: `${knownValue(words[0])} may be another program than ${name}` };
}

function unwrapNamed(name: string, words: readonly Argument[]): Inner {
  if (shells.has(name)) return unwrapShell(name, words);
  if (name === "eval") return unwrapEval(words);
  const list = entryOf(wrappers, name);
  const isQuestion = name === "command" && /^-p?[vV]/.test(knownValue(words[0]) ?? "");
  return list && !isQuestion ? unwrapProgram(name, list, words) : itself;
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
    const doubt = `${name} has ${parsed.problem}`;
    const isGuess = true;
    return guess.length > 0
      ? { type: "command", words: guess, isGuess, doubt }
      : { ...itself, isGuess, doubt };
  }
  const operands = words.slice(words.length - parsed.operands.length).slice(list.operands ?? 0);
  const settings = name === "env" ? leadingSettings(operands) : [];
  const inner = operands.slice(settings.length);
  const doubt = wrapperDoubt(name, parsed.given, settings);
  if (inner.length === 0) return { ...itself, ...doubt };
  const run = name === "xargs" ? [...inner, anyWords] : inner;
  return { type: "command", words: run, isGuess: false, ...doubt };
}

/** The `NAME=value` that env is given before its command. */
function leadingSettings(words: readonly Argument[]): readonly Argument[] {
  const end = words.findIndex((word) => !/^\w+=/.test(startOf(word)));
  return words.slice(0, end < 0 ? undefined : end);
}

function wrapperDoubt(
  name: string,
  given: ReadonlySet<string>,
  settings: readonly Argument[],
): { doubt?: string } {
  const leading = settings.find((setting) => !isHarmlessSetting(knownValue(setting) ?? ""));
  if (leading) return { doubt: `it sets ${startOf(leading).replace(/=.*/s, "")} for a program` };
  if (name === "sudo" || name === "doas") return { doubt: "it is run as another user" };
  if (name === "exec") return { doubt: "it replaces the shell" };
  if (name === "setsid" || name === "nohup")
    return { doubt: "it may run on when the line has ended" };
  // Without it, git would run what a repository names.
  if (name === "env" && given.size > 0) return { doubt: "it takes away some of the environment" };
  if (given.has("-I")) return { doubt: "xargs puts what it reads into the command" };
  return given.has("-a") || given.has("--arg-file") ? { doubt: "xargs reads a file" } : {};
}

function startOf(word: Argument | undefined): string {
  return word?.type === "unknown" ? word.start : (knownValue(word) ?? "");
}

/** A pattern among a wrapper's own arguments may be several files, and then all else moves. */
function withoutPattern(word: Argument): KnownArgument {
  return word.type === "pattern" ? anyWords : word;
}

const shells: ReadonlySet<string> = new Set(["bash", "sh", "dash", "zsh", "ksh"]);

/**
 * `bash -c '…'` is judged by its script; any other shell reads commands from elsewhere. The arguments
 * are read as bash does it: options first, letters joined, `-c` takes no value.
 */
function unwrapShell(name: string, words: readonly Argument[]): Inner {
  const values = words.map(knownValue);
  if (values.length === 1 && values[0] === "--version") return itself;
  let index = 0;
  let hasScript = false;
  for (let option = values[0]; /^[-+]./.test(option ?? ""); option = values[index]) {
    index++;
    if (option === "--" || option === undefined) break;
    if (option.startsWith("--")) index += /^--(rcfile|init-file)$/.test(option) ? 1 : 0;
    else hasScript ||= /^-[a-zA-Z]*c/.test(option);
    if (/^[-+][a-zA-Z]*[oO]$/.test(option)) index++;
  }
  const script = values[index];
  const isHidden = script === undefined || script.startsWith("/dev/") || script === "-";
  if (isHidden || !hasScript) {
    const doubt = "it starts a shell whose commands are not in the line";
    return { ...itself, hidesProgram: isHidden, doubt };
  }
  const isPlain = name === "bash" && index === 1 && /^-[eux]*c$/.test(values[0] ?? "");
  const doubt = isPlain ? {} : { doubt: `${name} may take its script for something else` };
  return { type: "script", script, isOwnShell: true, ...doubt };
}

/** What eval is given word by word, it runs as one script. */
function unwrapEval(words: readonly Argument[]): Inner {
  const values = words.map(knownValue);
  if (!values.every((value) => value !== undefined)) return { ...itself, hidesProgram: true };
  const doubt = "eval reads its text once more";
  return { type: "script", script: values.join(" "), isOwnShell: false, doubt };
}
