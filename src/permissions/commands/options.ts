import { type Argument, type KnownArgument, knownValue, literal } from "./argument.ts";

/** The options a program may be given. Each list is names with blanks between: `-n --lines`. */
export interface OptionList {
  readonly flags?: string;
  /** Options whose value is only text. */
  readonly text?: string;
  /** Options whose value is text that is attached or missing: the next word is not theirs. */
  readonly optional?: string;
  /** Options that take two values, both only text. */
  readonly pairs?: string;
  /** Options whose value is a file to read. */
  readonly paths?: string;
  /** Options whose value is a little program, judged by the program's own check. */
  readonly scripts?: string;
  /** `-20` is an option too. */
  readonly hasNumbers?: boolean;
  /** A letter's value is the next word, even where other letters follow it: `-LP 2 '*'`. */
  readonly hasValuesApart?: boolean;
  /** None of its options, listed or not, does more than change the output. */
  readonly hasOnlyHarmlessOptions?: boolean;
  /** Everything from the first operand on is an operand. */
  readonly isOptionsFirst?: boolean;
}

export interface ParsedArguments {
  readonly given: ReadonlySet<string>;
  /**
   * The values of options given as `--name=value`, `-nvalue` or in the next word; undefined if not
   * known.
   */
  readonly values: readonly (readonly [name: string, value: string | undefined])[];
  readonly operands: readonly KnownArgument[];
  readonly paths: readonly KnownArgument[];
  readonly scripts: readonly KnownArgument[];
}

const kindNames = ["flags", "optional", "text", "pairs", "paths", "scripts"] as const;
type OptionKind = (typeof kindNames)[number];

/** Sorts a program's arguments, or says which of them is not known to be harmless. */
export function parseArguments(
  list: OptionList,
  words: readonly KnownArgument[],
): ParsedArguments | { readonly problem: string } {
  const kinds = optionKinds(list);
  const given = new Set<string>();
  const values: [string, string | undefined][] = [];
  const operands: KnownArgument[] = [];
  const paths: KnownArgument[] = [];
  const scripts: KnownArgument[] = [];
  const queue = [...words];
  let isOptions = true;

  for (let word = queue.shift(); word; word = queue.shift()) {
    if (word.type === "unknown") {
      if (isOptions && !isSurelyOperand(word)) return { problem: "an argument that is not known" };
      operands.push(word);
    } else if (!isOptions || !word.value.startsWith("-") || word.value === "-") {
      operands.push(word);
    } else if (word.isOneOfMany) {
      if (!list.hasOnlyHarmlessOptions) return { problem: `a file called ${word.value}` };
    } else if (word.value === "--") {
      isOptions = false;
    } else if (!(list.hasNumbers && /^-\d+$/.test(word.value))) {
      const option = readOption(word.value, kinds, list);
      if (!option) return { problem: word.value };
      for (const name of option.names) given.add(name);
      const last = option.names.at(-1) ?? "";
      if (option.value !== undefined) values.push([last, option.value]);
      if (option.kind === "flags" || option.kind === "optional") continue;
      const value = option.value === undefined ? nextValue(queue) : literal(option.value);
      const isWhole = option.kind !== "pairs" || nextValue(queue) !== undefined;
      if (!value || !isWhole) return { problem: word.value };
      if (option.value === undefined) values.push([last, knownValue(value)]);
      if (option.kind === "paths") paths.push(value);
      if (option.kind === "scripts") scripts.push(value);
    }
    if (list.isOptionsFirst && operands.length > 0) isOptions = false;
  }
  return { given, values, operands, paths, scripts };
}

/**
 * A word that looks like an option is not taken as a value: some program might take it for the
 * option.
 */
function nextValue(queue: KnownArgument[]): KnownArgument | undefined {
  const value = queue.shift();
  if (value?.type === "unknown") return value.isOneWord ? value : undefined;
  return value && /^-(?!\d*$)/.test(value.value) ? undefined : value;
}

/** The probable position of the first operand, if some of the options before it are not known. */
export function guessOperand(list: OptionList, words: readonly Argument[]): number {
  const kinds = optionKinds(list);
  let index = 0;
  for (let value = knownValue(words[0]); value?.startsWith("-"); value = knownValue(words[index])) {
    index += /^(flags|optional)$/.test(kinds.get(value) ?? "flags") ? 1 : 2;
  }
  return index;
}

function isSurelyOperand({ start, isOneWord }: { start: string; isOneWord: boolean }): boolean {
  return isOneWord && start !== "" && !start.startsWith("-");
}

function optionKinds(list: OptionList): Map<string, OptionKind> {
  const kinds = new Map<string, OptionKind>();
  for (const kind of kindNames) {
    for (const name of list[kind]?.split(/\s+/) ?? []) kinds.set(name, kind);
  }
  return kinds;
}

interface ReadOption {
  readonly names: readonly string[];
  readonly kind: OptionKind;
  readonly value: string | undefined;
}

function readOption(
  word: string,
  kinds: ReadonlyMap<string, OptionKind>,
  { hasValuesApart = false }: OptionList,
): ReadOption | undefined {
  const [name = word] = /^--?[^=]+/.exec(word) ?? [];
  const value = name.length < word.length ? word.slice(name.length + 1) : undefined;
  const kind = kinds.get(name);
  if (kind) return { names: [name], kind, value };
  if (word.startsWith("--")) return undefined;
  const cluster = readCluster(word, kinds);
  return hasValuesApart && cluster?.value !== undefined ? undefined : cluster;
}

/** `-rn`, `-A3`, `-nA 3`: letters, the last of which may take a value. */
function readCluster(word: string, kinds: ReadonlyMap<string, OptionKind>): ReadOption | undefined {
  const names: string[] = [];
  for (let index = 1; index < word.length; index++) {
    const name = `-${word[index]}`;
    const kind = kinds.get(name);
    if (!kind) return undefined;
    names.push(name);
    if (kind !== "flags") return { names, kind, value: word.slice(index + 1) || undefined };
  }
  return { names, kind: "flags", value: undefined };
}
