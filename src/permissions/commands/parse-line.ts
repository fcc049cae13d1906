import { forEachChild, type ParsedScript, parse, type SyntaxNode } from "unbash";
import { hasHidden, showHidden } from "../show-hidden.ts";
import { isCovered } from "./parser-coverage.ts";

/** Longer lines are not judged. */
const longestLine = 16_384;

/** In `$'…'` the shell knows escapes that others read differently, `\x{2d}` among them. */
const oddEscape = /\\(?![abefnrtv\\'"]|x(?!00)[0-9a-fA-F]{2}(?![0-9a-fA-F]))/;

export type ParsedLine =
  | { readonly type: "parsed"; readonly script: ParsedScript }
  | { readonly type: "unparsable"; readonly reason: string };

/**
 * Parses a line as bash would; a line that is not understood to the last character is unparsable.
 */
export function parseLine(text: string): ParsedLine {
  if (text.length > longestLine) return unparsable("it is too long to be judged");
  if (hasHidden(text)) return unparsable(`it has hidden characters: ${excerpt(text)}`);
  const script = parse(text);
  if (script.errors?.length) return unparsable("it cannot be parsed as bash");
  if (!isCovered(script, text)) return unparsable("parts of it are not understood");
  if (hasOddEscape(script)) return unparsable("it has escapes that are read in several ways");
  return { type: "parsed", script };
}

function hasOddEscape(node: SyntaxNode): boolean {
  if (node.type === "AnsiCQuoted") return oddEscape.test(node.text);
  let isFound = false;
  forEachChild(node, (child) => {
    isFound ||= hasOddEscape(child);
  });
  return isFound;
}

function unparsable(reason: string): ParsedLine {
  return { type: "unparsable", reason };
}

function excerpt(text: string): string {
  const shown = showHidden(text);
  const from = Math.max(0, shown.indexOf("<U+") - 30);
  return shown.slice(from, from + 80);
}
