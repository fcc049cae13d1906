import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { orNothing } from "../../lib/or-nothing.ts";
import {
  type Argument,
  anyWords,
  type FilePattern,
  hasPatternSign,
  type KnownArgument,
  literal,
  mayHoldPattern,
  patternText,
  plainWords,
} from "./argument.ts";
import { type PathUse, pathUse } from "./assess.ts";

const mostNames = 1_000;
/** Each further star multiplies the time that a name takes. */
const mostStars = 3;

const isAscii = /^[\x20-\x7e]*$/;

/** Names that no shell splits or expands again, and no program takes for an option. */
const plainName = /^[^\s*?[\]\\-][^\s*?[\]\\]*$/;

/**
 * A placeholder for a file that may be created before the pattern is expanded, and looks like an
 * option.
 */
const optionLike: KnownArgument = { type: "literal", value: "-?", isOneOfMany: true };

export interface Expansion {
  readonly words: readonly KnownArgument[];
  /** The folders that the shell lists, even if it finds nothing. */
  readonly folders: readonly string[];
  /** Names among them that a program takes for options. */
  readonly options: readonly string[];
}

/**
 * The file names that a pattern matches in a directory, as bash would find them. If files may still
 * be created, one of them may look like an option.
 */
export async function expandPattern(
  pattern: FilePattern,
  directory: string,
  { isStill }: { isStill: boolean },
): Promise<Expansion> {
  const folders: string[] = [];
  const options: string[] = [];
  const names = await namesNow(pattern, directory, { folders, options });
  const words = isStill || !mayBeOption(pattern) ? names : [...names, optionLike];
  return { words, folders, options };
}

/** True for a pattern that may find a file which looks like an option once it is created. */
export function mayFindOption(words: readonly KnownArgument[]): boolean {
  return words.includes(optionLike);
}

function mayBeOption({ pieces }: FilePattern): boolean {
  const first = pieces.find((piece) => piece.type !== "text" || piece.value !== "");
  return first?.type !== "text" || first.value.startsWith("-");
}

/** True when the folders in which a pattern looks are found by a wildcard, too. */
function searchesFolders(pattern: FilePattern): boolean {
  return splitAtSlashes(pattern)
    .slice(0, -1)
    .some((segment) => segment.some(({ type }) => type !== "text"));
}

async function namesNow(
  pattern: FilePattern,
  directory: string,
  { folders, options }: { folders: string[]; options: string[] },
): Promise<KnownArgument[]> {
  const segments = splitAtSlashes(pattern);
  const isAbsolute = isTextOf(segments[0], "");
  let found = [isAbsolute ? "/" : ""];
  for (const segment of isAbsolute ? segments.slice(1) : segments) {
    if (segment.some(({ type }) => type !== "text")) folders.push(...found.map((it) => it || "."));
    const matched = await matchSegment(found, segment, directory);
    if (!matched || matched.length > mostNames) return [anyWords];
    found = matched;
  }
  const written = patternText(pattern);
  if (found.length === 0) return [literal(written)];
  options.push(...found.filter((name) => name.startsWith("-")));
  if (found.some((name) => !plainName.test(name))) {
    return [found.some(hasPatternSign) ? anyWords : plainWords];
  }
  // A bracket is taken to match more than it does, so perhaps bash finds none and keeps the text.
  const names = hasBracket(pattern) ? [written, ...found] : found;
  return names.map((value) => ({ type: "literal", value, isOneOfMany: true }));
}

function hasBracket({ pieces }: FilePattern): boolean {
  return pieces.some((piece) => piece.type === "one" && piece.text !== "?");
}

type PatternSegment = FilePattern["pieces"];

function isTextOf(segment: PatternSegment | undefined, text: string): boolean {
  return segment?.every((piece) => piece.type === "text" && piece.value === text) ?? false;
}

function splitAtSlashes({ pieces }: FilePattern): PatternSegment[] {
  const segments: FilePattern["pieces"][number][][] = [[]];
  for (const piece of pieces) {
    if (piece.type !== "text") {
      segments.at(-1)?.push(piece);
      continue;
    }
    const [first = "", ...others] = piece.value.split("/");
    segments.at(-1)?.push({ type: "text", value: first });
    segments.push(...others.map((value) => [{ type: "text" as const, value }]));
  }
  return segments;
}

/** Undefined if a name's letters depend on the shell's locale, or if matching takes long. */
async function matchSegment(
  bases: readonly string[],
  segment: PatternSegment,
  directory: string,
): Promise<string[] | undefined> {
  if (segment.every(({ type }) => type === "text")) {
    const name = segment.map((piece) => (piece.type === "text" ? piece.value : "")).join("");
    return bases.map((base) => `${base}${base === "" || base.endsWith("/") ? "" : "/"}${name}`);
  }
  if (segment.filter(({ type }) => type === "any").length > mostStars) return undefined;
  const matcher = matcherOf(segment);
  const found: string[] = [];
  for (const base of bases) {
    const names = await namesIn(base.startsWith("/") ? base : join(directory, base));
    if (names.some((name) => !isAscii.test(name))) return undefined;
    for (const name of names) {
      if (matcher.test(name))
        found.push(base === "" || base.endsWith("/") ? base + name : `${base}/${name}`);
      if (found.length > mostNames) return found;
    }
  }
  return found;
}

/** As in bash, a wildcard does not match the dot that hides a file. */
function matcherOf(segment: PatternSegment): RegExp {
  const first = segment.find((piece) => piece.type !== "text" || piece.value !== "");
  const asksForHidden = first?.type === "text" && first.value.startsWith(".");
  const source = segment.map((piece) => {
    if (piece.type === "text") return piece.value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
    return piece.type === "any" ? ".*" : ".";
  });
  return new RegExp(`^${asksForHidden ? "" : "(?!\\.)"}${source.join("")}$`, "s");
}

async function namesIn(directory: string): Promise<string[]> {
  const names = await orNothing(readdir(directory), undefined);
  // Older shells let `.*` match the folder above.
  return names ? [".", "..", ...names.sort()] : [];
}

/** The folders that are listed for a pattern: that alone is a read. */
export function searchedPaths({ words, folders }: Expansion): PathUse[] {
  const found = words.flatMap((word) =>
    word.type === "literal" && word.isOneOfMany ? [word.value] : [],
  );
  return [...new Set([...folders, ...found])].map((path) => pathUse(path, "read"));
}

/** A pattern through unknown folders may list folders outside the workspace. */
export function lostPattern(
  written: readonly Argument[],
  words: readonly KnownArgument[],
): string | undefined {
  const unknown = words.filter(({ type }) => type === "unknown");
  // A name that was found may have wildcards in it, by which files are found once more.
  const isLost = written.some(
    (word) =>
      word.type === "pattern" &&
      unknown.some((each) => searchesFolders(word) || (word.isHeld && mayHoldPattern(each))),
  );
  return isLost ? "its patterns may look outside the workspace" : undefined;
}
