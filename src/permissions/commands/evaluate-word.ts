import type { Assignment, Word, WordPart } from "unbash";
import {
  type Argument,
  anyNumber,
  anyWord,
  anyWords,
  type FilePattern,
  hasPatternSign,
  literal,
  type PatternPiece,
  patternPieces,
  patternText,
  plainWords,
  type Unknown,
} from "./argument.ts";
import { isPlainOutput, literalOutput } from "./command-output.ts";

/** Variables that double in a loop would grow beyond all memory. */
const longestText = 50_000;

/** The known values of variables; others may hold anything. */
export interface Variables {
  get(name: string): Argument | undefined;
}

/** The arguments that a word expands to: one, or several if it has braces. */
export function evaluateWord(word: Word, variables: Variables = new Map()): Argument[] {
  if (hasBraces(word)) return evaluateBraces(word);
  if (hasTilde(word)) return [evaluateTilde(word, variables)];
  if (!word.parts) return [hasSyntax(word.text) ? anyWords : literal(word.value)];
  return [join(word.parts.map((part) => evaluatePart(part, variables)))];
}

/** A tilde means a directory at the start of a word, and after `=` and `:` in an assignment. */
function hasTilde({ text, parts }: Word): boolean {
  if (!parts) return /(^|[=:])~/.test(text);
  return parts.some(
    (part, index) =>
      part.type === "Literal" && (index === 0 ? /(^|[=:])~/ : /[=:]~/).test(part.text),
  );
}

/** `~/…` begins with the home directory. Any other tilde is not known. */
function evaluateTilde({ text, value, parts = [] }: Word, variables: Variables): Argument {
  const home = variables.get("HOME");
  const [first, ...others] = parts;
  const begin = first?.text ?? text;
  const isHome = first ? /^~\/[^~]*$/.test(begin) : /^~(\/[^~]*)?$/.test(begin);
  const isOnly = others.every((part) => part.type !== "Literal" || !part.text.includes("~"));
  if (!isHome || !isOnly || home?.type !== "literal" || home.value === "") {
    return join([[anyWord], ...parts.map((part) => evaluatePart(part, variables))]);
  }
  if (!first) return hasSyntax(text) ? anyWords : literal(`${home.value}${value.slice(1)}`);
  const rest = first.type === "Literal" ? first.value.slice(1) : "";
  const start: WordPiece = { type: "text", value: `${home.value}${rest}` };
  return join([[start], ...others.map((part) => evaluatePart(part, variables))]);
}

/** An argument of a command; `export x=1` has one that looks like an assignment. */
export function evaluateArgument(part: Word | Assignment, variables: Variables): Argument[] {
  if (part.type === "Word") return evaluateWord(part, variables);
  if (part.value.type === "ArrayValue") return [anyWords];
  const value = assignedValue(part, variables);
  const isKnown = value.type === "literal";
  return [
    isKnown ? literal(`${part.name}=${value.value}`) : { ...anyWord, start: `${part.name}=` },
  ];
}

/**
 * The value of a variable after an assignment, as far as it is known. Braces and wildcards in it
 * are plain text.
 */
export function assignedValue({ value, append }: Assignment, variables: Variables): Argument {
  if (value.type !== "Word" || append || hasBraces(value)) return anyWords;
  const [assigned = anyWords] = evaluateWord(value, variables);
  if (assigned.type !== "pattern") return assigned;
  return assigned.isHeld ? anyWords : literal(patternText(assigned));
}

export function hasBraces({ parts }: Word): boolean {
  return parts?.some(({ type }) => type === "BraceExpansion") ?? false;
}

/** A word without parts has nothing left to expand. If it looks otherwise, nothing is known of it. */
function hasSyntax(text: string): boolean {
  const unescaped = text.replace(/\\[\s\S]/g, "");
  // At the end of a word `$` begins nothing.
  return /[$`'"*?<>|&;()\s]/.test(unescaped.replace(/(?<=[\w./-])\$$/, ""));
}

/** What a part of a word adds to it. */
type WordPiece = (PatternPiece & { readonly isHeld?: boolean }) | Unknown;

function evaluatePart(part: WordPart, variables: Variables): WordPiece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ type: "text", value: part.value }];
    case "Glob":
      if (part.kind === "star") return [{ type: "any" }];
      // Quotes in a bracket are removed if nothing matches it.
      return /[$`'"\\]/.test(part.text) ? [anyWords] : [{ type: "one", text: part.text }];
    case "DoubleQuoted":
    case "LocaleString":
      return part.parts.flatMap((inner) => evaluateInQuotes(inner, variables));
    case "SimpleExpansion":
      return evaluateVariable(part.text.slice(1), variables);
    case "ParameterExpansion":
      if (part.operation || part.index || part.prefix)
        return [isLength(part) ? anyNumber : anyWords];
      return evaluateVariable(part.parameter, variables);
    case "ArithmeticExpansion":
      return [anyNumber];
    case "ProcessSubstitution":
      return [{ type: "text", value: "/dev/fd/63" }];
    case "CommandExpansion":
      return [isPlainOutput(part.script) ? plainWords : anyWords];
    case "ExtendedGlob":
    case "BraceExpansion":
      return [anyWords];
  }
}

/**
 * In quotes the output of a command is one word, and may be known. `"$@"` is as many as there are.
 */
function evaluateInQuotes(part: WordPart, variables: Variables): WordPiece[] {
  if (isList(part)) return [{ ...anyWords, mayBePattern: false }];
  const text = part.type === "CommandExpansion" ? literalOutput(part.script) : undefined;
  const pieces = text === undefined ? evaluateQuoted(part, variables) : undefined;
  return pieces?.map(quoted) ?? [{ type: "text", value: text ?? "" }];
}

/** Within quotes a value is neither dropped, split nor taken for a pattern. */
function evaluateQuoted(part: WordPart, variables: Variables): WordPiece[] {
  const name = plainVariable(part);
  const known = name === undefined ? undefined : variables.get(name);
  if (known?.type === "literal") return [{ type: "text", value: known.value }];
  if (known?.type === "pattern") return heldPieces(known);
  return evaluatePart(part, variables);
}

function plainVariable(part: WordPart): string | undefined {
  if (part.type === "SimpleExpansion") return part.text.slice(1);
  const isPlain =
    part.type === "ParameterExpansion" && !part.operation && !part.index && !part.prefix;
  return isPlain ? part.parameter : undefined;
}

function isList(part: WordPart): boolean {
  if (part.type === "SimpleExpansion") return part.text === "$@";
  return (
    part.type === "ParameterExpansion" &&
    (part.parameter === "@" || (part.index?.text.includes("@") ?? false))
  );
}

/** Quotes make one word of their content. The wildcards in quotes are those of a loop's files. */
function quoted(piece: WordPiece): WordPiece {
  return piece.type === "unknown" ? { ...piece, isOneWord: true, mayBePattern: false } : piece;
}

/** True for `${#x}`. */
function isLength({ prefix, operation }: Extract<WordPart, { type: "ParameterExpansion" }>) {
  return prefix === "#" && !operation;
}

function evaluateVariable(name: string, variables: Variables): WordPiece[] {
  // Not `$!`: it is empty before anything has run in the background.
  if (/^[?#$]$/.test(name)) return [anyNumber];
  if (/^[!-]$/.test(name)) return [plainWords];
  const known = variables.get(name);
  if (!known) return [anyWords];
  if (known.type === "pattern") return heldPieces(known);
  if (known.type === "unknown") return [known];
  // Without quotes the shell would drop it, split it, or take it for a pattern.
  if (!/^$|\s/.test(known.value)) return patternPieces(known.value) ?? [anyWords];
  return [hasPatternSign(known.value) ? anyWords : plainWords];
}

function join(parts: readonly (readonly WordPiece[])[]): Argument {
  const pieces = parts.flat();
  const unknown = pieces.filter((piece) => piece.type === "unknown");
  if (unknown.length > 0) return joinUnknown(pieces, unknown);
  const known = pieces.filter((piece) => piece.type !== "unknown");
  if (known.some(({ type }) => type !== "text")) return joinPattern(known);
  const text = known.map((piece) => (piece.type === "text" ? piece.value : "")).join("");
  return text.length > longestText ? anyWords : literal(text);
}

function heldPieces({ pieces }: FilePattern): WordPiece[] {
  return pieces.map((piece) => ({ ...piece, isHeld: true }));
}

function joinPattern(pieces: readonly Exclude<WordPiece, Unknown>[]): FilePattern {
  return { type: "pattern", pieces, isHeld: pieces.some((piece) => piece.isHeld === true) };
}

function joinUnknown(pieces: readonly WordPiece[], unknown: readonly Unknown[]): Unknown {
  const [first] = pieces;
  const start = first?.type === "text" ? first.value : first?.type === "unknown" ? first.start : "";
  const isPattern = pieces.some(({ type }) => type === "any" || type === "one");
  return {
    type: "unknown",
    start,
    isOneWord: !isPattern && unknown.every((piece) => piece.isOneWord),
    isNumber: pieces.length === 1 && unknown.every((piece) => piece.isNumber),
    mayBePattern: isPattern || unknown.some((piece) => piece.mayBePattern),
    mayHoldPattern: pieces.some(holdsPattern),
  };
}

function holdsPattern(piece: WordPiece): boolean {
  if (piece.type === "text") return hasPatternSign(piece.value);
  return piece.type !== "unknown" || piece.mayHoldPattern;
}

/** `a{b,c}d` and `{1..9}`. Anything cleverer is not known. */
function evaluateBraces(word: Word): Argument[] {
  const [, before = "", list, after = ""] =
    /^([\w./-]*)\{([\w./,-]*)\}([\w./*-]*)$/.exec(word.text) ?? [];
  if (list === undefined) return [anyWords];
  const range = /^(0|[1-9]\d{0,3})\.\.(0|[1-9]\d{0,3})$/.exec(list);
  if (!range && list.includes("..")) return [anyWords];
  const choices = range ? numbersBetween(Number(range[1]), Number(range[2])) : list.split(",");
  if (choices.length < 2 || choices.length > 100) return [anyWords];
  const words = choices.map((choice) => `${before}${choice}${after}`);
  // The shell drops a word of which nothing is left.
  return words.filter((text) => text !== "").map(withStars);
}

function numbersBetween(from: number, to: number): string[] {
  const step = from <= to ? 1 : -1;
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => String(from + index * step));
}

function withStars(text: string): Argument {
  if (!text.includes("*")) return literal(text);
  const pieces = text.split(/(\*)/).filter((piece) => piece !== "");
  return {
    type: "pattern",
    pieces: pieces.map((piece) =>
      piece === "*" ? { type: "any" } : { type: "text", value: piece },
    ),
    isHeld: false,
  };
}
