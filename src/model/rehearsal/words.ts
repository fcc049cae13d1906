import { firstCharacters } from "../../lib/cut-text.ts";

/** Nobody orders so much at once: whatever comes behind it is material. */
const maxCharacters = 10_000;

/** One thing that a text says, with what stands in quotes taken out of the way. */
export interface Clause {
  /** The words; each quoted text is a placeholder, which no word looks like. */
  words: string;
  quotes: readonly string[];
  /** As it was written. */
  original: string;
}

/** What a text says, one thing each: split at sentences, at "then", and before another order. */
export function clausesOf(text: string): Clause[] {
  const all: string[] = [];
  const hidden = unquoteNames(firstCharacters(text, maxCharacters)).replace(
    quoted,
    (...groups: unknown[]) => {
      const found = groups.slice(1, 5).find((group) => typeof group === "string");
      all.push(String(found ?? ""));
      return `\uE000${all.length - 1}\uE001`;
    },
  );
  const pieces = hidden
    .split(boundary)
    .map((piece) => stripOpening(piece.replace(/^[\s—–-]+|[\s.!?;,:]+$/g, "")))
    .filter((piece) => piece !== "");
  return pieces.map((words) => ({
    words,
    quotes: [...words.matchAll(placeholder)].map(([, index]) => all[Number(index)] ?? ""),
    original: words.replace(placeholder, (_, index: string) => `"${all[Number(index)] ?? ""}"`),
  }));
}

const quoted = /"([^"]*)"|“([^”]*)”|`([^`]*)`|(?<=^|[\s(:])'([^']*)'(?![\w])/g;
const placeholder = /\uE000(\d+)\uE001/g;

/** The words at the end of a clause as they were written. */
export function withQuotes(end: string, { quotes }: Clause): string {
  let left = quotes.length - [...end.matchAll(placeholder)].length;
  return end.replace(placeholder, () => `"${quotes[left++] ?? ""}"`);
}

/** A file's name in quotes is a name, not a text. */
function unquoteNames(text: string): string {
  return text.replace(/\b(called|named|file)\s+["“'`]([\w./-]+)["”'`]/gi, "$1 $2");
}

const orders =
  "have|ask|tell|let|spawn|hire|broadcast|request|shut|approve|accept|reject|decline|wait|watch|(?:list|show)\\s+(?:the\\s+|all\\s+)?(?:team|teammates|members|roster|tasks)";
const boundary = new RegExp(
  String.raw`(?<=[.!?;])\s+|\n+|\s+[—–]\s+|,?\s+(?:and\s+)?then\s+|(?:,|,?\s+and)\s+(?=(?:${orders})\b)`,
  "i",
);

const opening =
  /^(?:(?:and|then|now|next|first|finally|please|so|ok|okay|also|afterwards|let's|you should|(?:can|could|would) you|i (?:want|would like|need) you to|i'd like you to)\b[\s,]*)+/i;

function stripOpening(words: string): string {
  return words.replace(opening, "").trim();
}

const name = "[A-Za-z][A-Za-z0-9_-]*";

/** A name, or several: `alice`, `alice and bob`, `alice, bob & carol`. */
export const namesPattern = `${name}(?:(?:\\s*,\\s*(?:and\\s+)?|\\s+and\\s+|\\s*&\\s*)${name})*`;

export const namePattern = name;

/** Words that stand where a name could, and are none. */
const noNames = new Set(
  `a an the and as with to for of my our your their his her him them it me us you all any some every
  everyone everybody each new another one two three four five six teammate teammates team member
  members agent agents colleague colleagues people named called who please that this these board task
  tasks plan lead person user back up out down in on at from`.split(/\s+/),
);

/** The names in a text, in order, each once, as members are called. */
export function namesIn(text: string): string[] {
  const words = text.match(new RegExp(`\\b${name}\\b`, "g")) ?? [];
  return [...new Set(words.map((word) => word.toLowerCase()).filter(isName))];
}

export function isName(word: string): boolean {
  return !noNames.has(word.toLowerCase());
}

const path = /(?:^|[\s(])((?:\.?[\w-]+\/)*[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,9})(?![\w/])/;

/** The first file that is named, and what stands behind it. */
export function fileIn(words: string): { path: string; rest: string } | undefined {
  const called = /\b(?:called|named)\s+([\w./-]*[\w-])/i.exec(words);
  const found = called ?? path.exec(words);
  if (!found?.[1]) return undefined;
  return { path: found[1], rest: words.slice(found.index + found[0].length).trim() };
}

const numbers = [
  "no",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
];

/** The number that stands before `noun`, in digits or as a word. */
export function countOf(noun: RegExp, words: string): number | undefined {
  const pattern = new RegExp(
    `\\b(\\d+|${numbers.join("|")}|an?)\\s+(?:\\w+\\s+){0,2}?${noun.source}`,
    "i",
  );
  const [, found] = pattern.exec(words) ?? [];
  if (found === undefined) return undefined;
  if (/^an?$/i.test(found)) return 1;
  const word = numbers.indexOf(found.toLowerCase());
  return word === -1 ? Number(found) : word;
}

/** With a capital and a full stop. */
export function asSentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.!?"”)]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
}

/** The beginning of a text, on one line. */
export function shortly(text: string, length = 400): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
