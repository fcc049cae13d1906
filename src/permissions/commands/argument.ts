/** One word of a command, as far as it is known before the shell has expanded it. */
export type Argument = Literal | FilePattern | Unknown;

export interface Literal {
  readonly type: "literal";
  readonly value: string;
  /** One of several file names that a pattern matches: its position in the command is not known. */
  readonly isOneOfMany: boolean;
}

/** Expands to the names of files, or stays unchanged if there are none. */
export interface FilePattern {
  readonly type: "pattern";
  readonly pieces: readonly PatternPiece[];
  /** True when the variable of a loop holds the names, one at a time. */
  readonly isHeld: boolean;
}

/** Literal text or a wildcard. A bracket counts as `one`: it matches no more. */
export type PatternPiece =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "any" }
  | { readonly type: "one"; readonly text: string };

export interface Unknown {
  readonly type: "unknown";
  /** The known beginning of the word. */
  readonly start: string;
  /** False when it may become several words, or none. */
  readonly isOneWord: boolean;
  readonly isNumber: boolean;
  /** True when the shell may take it for a pattern, and look for files wherever that leads. */
  readonly mayBePattern: boolean;
  /** True when that may happen to a variable which holds it, though quotes prevent it here. */
  readonly mayHoldPattern: boolean;
}

/** An argument after patterns were expanded. */
export type KnownArgument = Literal | Unknown;

export function literal(value: string): Literal {
  return { type: "literal", value, isOneOfMany: false };
}

/** Several words of which nothing is known, such as those `xargs` adds. */
export const anyWords: Unknown = {
  type: "unknown",
  start: "",
  isOneWord: false,
  isNumber: false,
  mayBePattern: true,
  mayHoldPattern: true,
};

/** Words of which it is only known that none is a pattern. */
export const plainWords: Unknown = { ...anyWords, mayBePattern: false, mayHoldPattern: false };

/** One word of which nothing is known, in quotes or where the shell looks for no files. */
export const anyWord: Unknown = { ...anyWords, isOneWord: true, mayBePattern: false };

export const anyNumber: Unknown = { ...plainWords, isOneWord: true, isNumber: true };

/** The word itself where it is known. */
export function knownValue(argument: Argument | undefined): string | undefined {
  return argument?.type === "literal" ? argument.value : undefined;
}

/** A table's own entry of this name; not an inherited one such as `constructor`. */
export function entryOf<Entry>(
  table: Readonly<Record<string, Entry>>,
  name: string | undefined,
): Entry | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** True for text that an arithmetic expression takes for a number. */
export function isNumeric(argument: Argument | undefined): boolean {
  if (argument?.type === "unknown") return argument.isNumber;
  return /^-?\d+$/.test(knownValue(argument) ?? "");
}

/** The pattern as text, which bash uses if it matches nothing. */
export function patternText({ pieces }: FilePattern): string {
  return pieces.map(pieceText).join("");
}

function pieceText(piece: PatternPiece): string {
  switch (piece.type) {
    case "text":
      return piece.value;
    case "any":
      return "*";
    case "one":
      return piece.text;
  }
}

/** Characters with a special meaning to the shell outside quotes. */
const patternSign = /[*?[\\]/;

export function hasPatternSign(text: string): boolean {
  return patternSign.test(text);
}

/** True when a variable that holds this may stand for files, wherever it is put without quotes. */
export function mayHoldPattern(value: Argument): boolean {
  if (value.type === "unknown") return value.mayHoldPattern;
  return value.type === "pattern" || hasPatternSign(value.value);
}

/** What is known of a variable that holds one of these values. */
export function oneOf(values: readonly Argument[]): Unknown {
  if (values.length > 0 && values.every(isNumeric)) return anyNumber;
  return values.some(mayHoldPattern) ? anyWords : plainWords;
}

/**
 * The value of a variable that is assigned a word: the quotes around the word are not those around
 * a later use.
 */
export function heldValue(value: Argument): Argument {
  if (value.type !== "unknown") return value;
  return { ...value, isOneWord: value.isNumber, mayBePattern: value.mayHoldPattern };
}

/** The pieces of a value that is used without quotes; undefined if it is not understood. */
export function patternPieces(value: string): PatternPiece[] | undefined {
  // The effect of a backslash in a value depends on the version of bash.
  if (value.includes("\\")) return undefined;
  const texts = value.split(/(\*|\?|\[[\w-]+\])/).filter((text) => text !== "");
  const pieces = texts.map((text): PatternPiece => {
    if (text === "*") return { type: "any" };
    const isOne = text === "?" || /^\[[\w-]+\]$/.test(text);
    return isOne ? { type: "one", text } : { type: "text", value: text };
  });
  return pieces.some((piece) => piece.type === "text" && piece.value.includes("["))
    ? undefined
    : pieces;
}
