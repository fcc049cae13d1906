import { withoutCode } from "../lib/markdown-code.ts";

/** `@path`, after a space or at the start; a space in the path has a backslash before it. */
const importPattern = /(?<![^\s(])@((?:\\ |[^\s\\])+)/g;

/** No system opens a longer path, and every one is looked at several times. */
const maxPathCharacters = 1024;

/** The paths that a text of instructions imports, as it writes them. What is in code is no import. */
export function importsIn(text: string): string[] {
  const found = [...withoutCode(text).matchAll(importPattern)];
  const paths = found.map(([, path = ""]) => path.replaceAll("\\ ", " "));
  return [...new Set(paths)].filter(({ length }) => length <= maxPathCharacters);
}

/** A path as it is written, and without the punctuation of the sentence behind it. */
export function spellingsOf(path: string): string[] {
  const bare = path.replace(/[.,;:!?)\]}'"*_]+$/, "");
  return bare === path || bare === "" ? [path] : [path, bare];
}
