import { type ParsedScript, parse } from "unbash";
import { hasHidden, showHidden } from "../show-hidden.ts";
import { isCovered } from "./coverage.ts";

/** Longer lines than this are not read to their end by anybody. */
const longestLine = 16_384;

export type ParsedLine =
  | { readonly type: "parsed"; readonly script: ParsedScript }
  | { readonly type: "unparsable"; readonly reason: string };

/** Reads a line as bash would; whatever is not understood to the last character is unparsable. */
export function parseLine(text: string): ParsedLine {
  if (text.length > longestLine) return unparsable("it is too long to be judged");
  if (hasHidden(text)) return unparsable(`it has hidden characters: ${excerpt(text)}`);
  const script = parse(text);
  if (script.errors?.length) return unparsable("it cannot be parsed as bash");
  if (!isCovered(script, text)) return unparsable("parts of it are not understood");
  return { type: "parsed", script };
}

function unparsable(reason: string): ParsedLine {
  return { type: "unparsable", reason };
}

function excerpt(text: string): string {
  const shown = showHidden(text);
  const from = Math.max(0, shown.indexOf("<U+") - 30);
  return shown.slice(from, from + 80);
}
