/** One word of a command, as far as it is known before the shell has expanded it. */
export type Argument = Literal | FilePattern | Unknown;

export interface Literal {
  readonly type: "literal";
  readonly value: string;
  /** One of several file names that a pattern stands for: its place in the command is not sure. */
  readonly isOneOfMany: boolean;
}

/** Expands to the names of files, or stays as it is written when there are none. */
export interface FilePattern {
  readonly type: "pattern";
  readonly pieces: readonly PatternPiece[];
}

/** Text that stands for itself, or a wildcard. A bracket counts as `one`: it matches no more. */
export type PatternPiece =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "any" }
  | { readonly type: "one"; readonly text: string };

export interface Unknown {
  readonly type: "unknown";
  /** What it surely begins with. */
  readonly start: string;
  /** False when it may become several words, or none. */
  readonly isOneWord: boolean;
  readonly isNumber: boolean;
}

/** An argument after patterns were expanded. */
export type KnownArgument = Literal | Unknown;

export function literal(value: string): Literal {
  return { type: "literal", value, isOneOfMany: false };
}

/** Several words of which nothing is known, such as those `xargs` adds. */
export const anyWords: Unknown = { type: "unknown", start: "", isOneWord: false, isNumber: false };

/** One word of which nothing is known. */
export const anyWord: Unknown = { ...anyWords, isOneWord: true };

export const anyNumber: Unknown = { ...anyWord, isNumber: true };

/** The word itself where it is known. */
export function knownValue(argument: Argument | undefined): string | undefined {
  return argument?.type === "literal" ? argument.value : undefined;
}

/** True for what an arithmetic expression takes for a number and nothing else. */
export function isNumeric(argument: Argument | undefined): boolean {
  if (argument?.type === "unknown") return argument.isNumber;
  return /^-?\d+$/.test(knownValue(argument) ?? "");
}

/** The pattern as text: what bash takes when it matches nothing. */
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
