import { type Argument, knownValue, literal } from "./argument.ts";
import { programName, unwrap } from "./wrappers.ts";

/**
 * Programs that run commands given by their arguments, each in its own way. Only a rule for their
 * exact words allows them; rules that deny look for any program their arguments may mean.
 */
const launchers: ReadonlySet<string> = new Set(
  `. source trap alias mapfile readarray complete compgen bind fish csh tcsh busybox toybox su runuser pkexec setpriv chroot unshare
  nsenter flock parallel watch entr script expect screen tmux at batch ssh strace ltrace gdb valgrind
  perf systemd-run fakeroot unbuffer taskset chrt numactl rlwrap`.split(/\s+/),
);
/** Further words are ignored. */
const mostWords = 40;
/** Text with quotes or expansions cannot be split at its blanks. */
const clever = /[\\'"$`*?[{]/;

type CommandWords = readonly Argument[];

/** The commands that a command would run, for rules that deny or ask. */
export function launchedCommands(words: CommandWords): readonly CommandWords[] {
  const inner = directlyRun(words);
  const isScript = (each: CommandWords) => unwrap(each).type === "script";
  return [
    ...inner,
    ...inner.flatMap((each) => (isScript(each) ? everyReading(each) : directlyRun(each))),
  ];
}

function directlyRun(words: CommandWords): readonly CommandWords[] {
  if (/^(npx|bunx|pnpx)$/.test(knownValue(words[0]) ?? "")) return [words.slice(1)];
  if (isLauncher(words)) return everyReading(words);
  return startsOfCommands(words)
    .slice(0, mostWords)
    .map((index) => words.slice(index, index + mostWords));
}

/** Where the commands begin that find and its like are given. */
function startsOfCommands(words: CommandWords): number[] {
  return words.flatMap((word, index) => (isExec(knownValue(word)) ? [index + 1] : []));
}

/** True for an option of find or fd that a command follows. */
export function isExec(word: string | undefined): boolean {
  return /^(-(exec|execdir|ok|okdir|x|X)|--exec(-batch)?)$/.test(word ?? "");
}

/** Every command that the arguments may mean: from each of them on, and from each word in each. */
function everyReading(words: CommandWords): readonly CommandWords[] {
  const few = words.slice(1, mostWords);
  const texts = few.map((word) => knownValue(word)?.replace(/^-\w/, "") ?? "");
  const inText = texts.map((text) => text.split(/[\s;&|(){}=]+/).map(literal));
  return [few, ...inText].flatMap((read) =>
    read.slice(0, mostWords).map((_, at) => read.slice(at)),
  );
}

function isLauncher(words: CommandWords): boolean {
  const inner = unwrap(words);
  if (inner.type === "script") return false;
  return inner.isGuess || (inner.type === "none" && launchers.has(programName(words[0]) ?? ""));
}

/** Why the programs that a command runs are not all in its words, if so. */
export function findHiddenProgram(words: CommandWords): string | undefined {
  const [program, ...rest] = words;
  if (!program) return undefined;
  const name = programName(program);
  if (name === undefined) return "the program it runs is not known";
  const inner = unwrap(words);
  const hidesProgram = inner.type === "none" && inner.hidesProgram;
  if (startsOfCommands(words).length > mostWords) return "it runs too many commands to look at";
  if (!hidesProgram && !isLauncher(words)) return undefined;
  const isClear = rest.every((word) => !clever.test(knownValue(word) ?? "$"));
  const isRead = isClear && words.length <= mostWords && !/^(\.|source|alias)$/.test(name);
  return isRead && !hidesProgram ? undefined : `what ${name} runs is not in the line`;
}
