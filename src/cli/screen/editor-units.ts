import { graphemes, graphemeWidth } from "../render/graphemes.ts";
import { printable } from "../render/printable.ts";
import { widthOf } from "../render/styled-text.ts";

/** What the cursor passes in one step: a letter, a newline, or a held paste. */
export interface EditorUnit {
  /** What is submitted. */
  text: string;
  /** What is drawn. */
  shown: string;
  width: number;
  isPaste: boolean;
}

const maxPastedLines = 5;
/** A longer paste is held as one unit. */
export const maxPastedLength = 1_000;

/** Beyond this, text that comes back from the history is held as a paste is. */
const maxRecalledLength = 20_000;

/** Text as it is typed: one unit for each letter. */
export function typedUnits(text: string): EditorUnit[] {
  return Array.from(graphemes(withNewlines(text)), letterUnit);
}

/** Text that was pasted at once: by letters where it is short, and as one unit where it is long. */
export function pastedUnits(text: string): EditorUnit[] {
  const pasted = withNewlines(text);
  const isLong = pasted.length > maxPastedLength || lineCount(pasted) > maxPastedLines;
  return isLong ? [pasteUnit(pasted)] : typedUnits(pasted);
}

/** Text from the history: to be edited again unless it is very long. */
export function recalledUnits(text: string): EditorUnit[] {
  return text.length > maxRecalledLength ? [pasteUnit(withNewlines(text))] : typedUnits(text);
}

/** Terminals send a carriage return for each newline of a paste. */
export function withNewlines(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

function letterUnit(letter: string): EditorUnit {
  const shown = letter === "\n" ? "" : letter === "\t" ? "    " : printable(letter);
  const width = shown === letter ? graphemeWidth(letter) : widthOf(shown);
  return { text: letter, shown, width, isPaste: false };
}

function pasteUnit(text: string): EditorUnit {
  const lines = lineCount(text);
  const shown = lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${text.length} characters]`;
  return { text, shown, width: shown.length, isPaste: true };
}

/** A newline at the end begins no line. */
function lineCount(text: string): number {
  let count = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** The unit as part of the text that is drawn. */
export function drawnText({ text, shown, isPaste }: EditorUnit): string {
  return isPaste ? shown : text;
}

export function isSpace({ text, isPaste }: EditorUnit): boolean {
  return !isPaste && /^\s/.test(text);
}

export function isWordLetter({ text, isPaste }: EditorUnit): boolean {
  return !isPaste && /^[\p{L}\p{N}_]/u.test(text);
}
