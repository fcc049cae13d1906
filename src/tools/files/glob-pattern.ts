const maxAlternatives = 100;
const maxExpandedCharacters = 10_000;

/** What a name must match: any number of names for `**`, else a name of these characters. */
type GlobSegment = "**" | readonly string[];

/**
 * Decides whether paths match a glob: `*`, `?`, `[a-z]`, `{a,b}`, and `**` for any number of
 * directories. A pattern without `/` matches names at any depth. It uses no regular expression,
 * whose time could grow without bounds.
 *
 * Ripgrep's own globs are not used, because they include files that .gitignore excludes.
 */
export class GlobPattern {
  readonly #alternatives: readonly (readonly GlobSegment[])[];

  private constructor(alternatives: readonly (readonly GlobSegment[])[]) {
    this.#alternatives = alternatives;
  }

  /** Undefined if the pattern has too many alternatives. */
  static parse(pattern: string): GlobPattern | undefined {
    const alternatives = pattern.length <= maxExpandedCharacters && expandBraces(pattern);
    if (!alternatives || alternatives.join("").length > maxExpandedCharacters) return undefined;
    return new GlobPattern(alternatives.map(segmentsOf));
  }

  matches(path: string): boolean {
    const names = path.split("/");
    return this.#alternatives.some((segments) =>
      matchesAll({ pattern: segments, star: "**", items: names, matchesOne: matchesName }),
    );
  }
}

function segmentsOf(pattern: string): GlobSegment[] {
  const names = pattern.split("/").filter((name) => name !== "" && name !== ".");
  const segments = names.map((name) => (name === "**" ? name : charactersOf(name)));
  return pattern.includes("/") ? segments : ["**", ...segments];
}

function matchesName(segment: GlobSegment, name: string): boolean {
  if (segment === "**") return true;
  const items = [...name];
  return matchesAll({ pattern: segment, star: "*", items, matchesOne: matchesCharacter });
}

/** One element for each character to match: itself, `*`, `?`, a class `[…]` or an escape `\x`. */
function charactersOf(segment: string): string[] {
  return segment.match(/\[[!^]?\]?[^\]]*\]|\\.|./gsu) ?? [];
}

function matchesCharacter(pattern: string, character: string): boolean {
  if (pattern === "?") return true;
  if (pattern.startsWith("\\")) return pattern.slice(1) === character;
  if (pattern.length < 3 || !pattern.startsWith("[")) return pattern === character;
  const isNegated = /^\[[!^]/.test(pattern);
  const members = [...pattern.slice(isNegated ? 2 : 1, -1)];
  return isMember(members, character) !== isNegated;
}

function isMember(members: readonly string[], character: string): boolean {
  for (let index = 0; index < members.length; index++) {
    const from = members[index] ?? "";
    const isRange = members[index + 1] === "-" && index + 2 < members.length;
    const to = isRange ? (members[index + 2] ?? "") : from;
    if (character >= from && character <= to) return true;
    if (isRange) index += 2;
  }
  return false;
}

/**
 * Matches a sequence against a pattern in which `star` matches any number of items. Only the last
 * star is ever tried again, which is enough, and bounds the time.
 */
function matchesAll<Part>({
  pattern,
  star,
  items,
  matchesOne,
}: {
  pattern: readonly Part[];
  star: Part;
  items: readonly string[];
  matchesOne(part: Part, item: string): boolean;
}): boolean {
  let at = 0;
  let lastStar = -1;
  let retryFrom = 0;
  for (let index = 0; index < items.length; ) {
    const wanted = pattern[at];
    if (wanted === star) {
      lastStar = at++;
      retryFrom = index;
    } else if (wanted !== undefined && matchesOne(wanted, items[index] ?? "")) {
      at++;
      index++;
    } else if (lastStar !== -1) {
      at = lastStar + 1;
      index = ++retryFrom;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((rest) => rest === star);
}

/** `a{b,c}` as `ab` and `ac`, nested ones too. Braces that do not close are plain characters. */
function expandBraces(pattern: string): string[] | undefined {
  let patterns = [pattern];
  for (let done: string[] = []; ; done = []) {
    for (const each of patterns) done.push(...expandInnermost(each));
    if (done.length > maxAlternatives) return undefined;
    if (done.length === patterns.length && done.every((each, index) => each === patterns[index])) {
      return patterns;
    }
    patterns = done;
  }
}

function expandInnermost(pattern: string): string[] {
  const braces = /\{([^{}]*)\}/.exec(pattern);
  if (!braces) return [pattern];
  const before = pattern.slice(0, braces.index);
  const after = pattern.slice(braces.index + braces[0].length);
  return (braces[1] ?? "").split(",").map((choice) => before + choice + after);
}
