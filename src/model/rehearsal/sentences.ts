import { firstCharacters } from "../../lib/cut-text.ts";

/** The longest text that is read as a prompt; the rest is treated as material. */
const maxCharacters = 10_000;

/** Splits a text into sentences: at full stops, at "then", and before another order. */
function sentencesIn(text: string): string[] {
  const quotes: string[] = [];
  const marked = firstCharacters(text, maxCharacters).replace(quoted, (quote) => {
    quotes.push(`"${quote.slice(1, -1)}"`);
    return "\uE000";
  });
  return marked
    .split(boundary)
    .map((sentence) => sentence.replace(trimmed, "").replace(/\uE000/g, () => quotes.shift() ?? ""))
    .filter((sentence) => sentence !== "");
}

const quoted = /"[^"]*"|“[^”]*”|`[^`]*`/g;
const boundary =
  /(?<=[.!?;])\s+|\n+|\s+[—–]\s+|,?\s+(?:and\s+)?then\s+|(?:,|,?(?<!review)\s+and)\s+(?=(?:have|ask|tell|spawn|request|approve|reject|watch|list\s+(?:the\s+)?team)\w*\b)/i;
const trimmed =
  /^(?:[\s—–-]+|(?:and|then|now|please|(?:can|could|would) you)\b[\s,]*)+|[\s.!?;,:]+$/gi;

/** The texts in the slots of a row. */
export type SentenceSlots = Readonly<Record<string, string | undefined>>;

/**
 * A pattern of known sentences and its meaning. `read` returns undefined if the row does not apply.
 */
export interface SentenceRow<Meaning> {
  pattern: RegExp;
  /** How many sentences it matches. */
  length: number;
  read(slots: SentenceSlots): Meaning | undefined;
}

/** In a pattern, `{slot}` matches variable text, and a space matches any whitespace. */
export function row<Meaning>(
  pattern: string,
  read: SentenceRow<Meaning>["read"],
): SentenceRow<Meaning> {
  const source = pattern
    .replaceAll(". ", "\\. ")
    .replaceAll(" ", "\\s+")
    .replaceAll(/\((?!\?)/g, "(?:")
    .replaceAll(/\{(\w+)\}/g, (_, slot: string) => `(?<${slot}>${slotPatterns[slot] ?? ".+?"})`);
  return { pattern: new RegExp(`^(?:${source})$`, "is"), length: pattern.split(". ").length, read };
}

const path = "(?<=\\s)(?:\\.?[\\w-]+/)*[\\w-][\\w.-]*\\.[a-z]\\w{0,9}(?![\\w/])";
const name = "[a-z][\\w-]*";
const slotPatterns: Readonly<Record<string, string>> = {
  name,
  who: `${name}(?:(?:,|,?\\s+and)\\s+${name})*`,
  quote: '"[^"]*"',
  file: `(?<=(?:called|named)\\s)(?:"[^"]*"|[\\w./-]*[\\w-])|${path}`,
  tasks: "(?:\\w+\\s+){0,3}tasks?(?![\\w.-]).*",
  verb: "approve|reject",
  rest: ".*",
};

/** Reads a text: each known part with its meaning, and each unknown sentence without. */
export function readText<Meaning>(
  rows: readonly SentenceRow<Meaning>[],
  text: string,
): { text: string; meaning: Meaning | undefined }[] {
  const left = sentencesIn(text);
  const pieces = [];
  while (left.length > 0) {
    const { meaning, length } = firstKnown(rows, left) ?? { meaning: undefined, length: 1 };
    pieces.push({ text: left.splice(0, length).join(". "), meaning });
  }
  return pieces;
}

function firstKnown<Meaning>(rows: readonly SentenceRow<Meaning>[], sentences: readonly string[]) {
  for (const { pattern, length, read } of rows) {
    const match = pattern.exec(sentences.slice(0, length).join(". "));
    const meaning = match ? read(match.groups ?? {}) : undefined;
    if (meaning !== undefined) return { meaning, length };
  }
  return undefined;
}

/** The first quoted part of a text; the whole text if nothing is quoted. */
export function unquoted(text: string): string {
  return /"([^"]*)"/.exec(text)?.[1] ?? text;
}

/** The names in a text, in order, without pronouns and other words in the place of a name. */
export function namesIn(text = ""): string[] {
  const words = text.toLowerCase().match(/\b[a-z][\w-]*/g) ?? [];
  return words.filter((word) => !noName.test(word));
}

const noName =
  /^(?:an?|the|and|my|your|him|his|her|them|their|it|me|us|you|all|any|each|every\w+|teammates?|team)$/;

/** Adds a capital letter and a full stop. */
export function asSentence(text: string): string {
  const ended = /[.!?"”)]$/.test(text) ? text : `${text}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/** The beginning of a text as one line. */
export function shortly(text: string, length = 400): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
