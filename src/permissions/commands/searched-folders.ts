import { type Argument, type KnownArgument, mayHoldPattern } from "./argument.ts";
import type { PathUse } from "./assess.ts";
import { type Expansion, searchesFolders } from "./expand-patterns.ts";

/** Whatever is done with the names of files, finding them has looked there. */
export function searchedPaths({ words, folders }: Expansion): PathUse[] {
  const found = words.flatMap((word) =>
    word.type === "literal" && word.isOneOfMany ? [word.value] : [],
  );
  return [...new Set([...folders, ...found])].map((path) => ({
    path,
    use: "read",
    word: -1,
    isTree: false,
  }));
}

/** A pattern that goes through folders nobody knows may look outside. */
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
