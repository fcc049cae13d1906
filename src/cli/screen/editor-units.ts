import { basename } from "node:path";
import { graphemes, graphemeWidth } from "../render/graphemes.ts";
import { oneLine } from "../render/one-line.ts";
import { printable } from "../render/printable.ts";
import { widthOf } from "../render/styled-text.ts";

/** One step of the cursor: a grapheme, a newline, a held paste, or an image. */
export interface EditorUnit {
  /** What is submitted. */
  text: string;
  /** What is drawn. */
  shown: string;
  width: number;
  isPaste: boolean;
  /** The path of an image, which is sent with the text. */
  image?: string;
}

/** What a text has in it as single units, in their order: the paths of images, and pasted texts. */
export interface HeldParts {
  images: readonly string[];
  pastes: readonly string[];
}

const maxPastedLines = 5;
/** A longer paste is held as one unit. */
export const maxPastedLength = 1_000;

/** A longer text from the history is held like a paste. */
const maxRecalledLength = 20_000;

/** Typed text: one unit per grapheme. */
export function typedUnits(text: string): EditorUnit[] {
  return Array.from(graphemes(withNewlines(text)), letterUnit);
}

/** Pasted text: one unit per grapheme if it is short, or one unit if it is long. */
export function pastedUnits(text: string): EditorUnit[] {
  const pasted = withNewlines(text);
  const isLong = pasted.length > maxPastedLength || lineCount(pasted) > maxPastedLines;
  return isLong ? [pasteUnit(pasted)] : typedUnits(pasted);
}

/** Text from the history, which can be edited but for what it holds, and unless it is very long. */
export function recalledUnits(text: string, { images, pastes }: HeldParts): EditorUnit[] {
  // A paste may have the name of an image in it, and an image no paste.
  return around(text, pastes.map(pasteUnit), (between) =>
    around(between, images.map(imageUnit), (rest) =>
      rest.length > maxRecalledLength ? [pasteUnit(withNewlines(rest))] : typedUnits(rest),
    ),
  );
}

/** Those of `held` that the text has in it, in their order, and between them what `rest` makes of the other text. */
function around(
  text: string,
  held: readonly EditorUnit[],
  rest: (text: string) => EditorUnit[],
): EditorUnit[] {
  const units: EditorUnit[] = [];
  let from = 0;
  for (const unit of held) {
    const at = text.indexOf(unit.text, from);
    if (at === -1) continue;
    units.push(...rest(text.slice(from, at)), unit);
    from = at + unit.text.length;
  }
  return [...units, ...rest(text.slice(from))];
}

/** A pasted image, which the text names by its file. */
export function imageUnit(image: string): EditorUnit {
  const text = `[image ${oneLine(basename(image))}]`;
  return { text, shown: text, width: widthOf(text), isPaste: true, image };
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

/** A newline at the end does not start another line. */
function lineCount(text: string): number {
  let count = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

export function drawnText({ text, shown, isPaste }: EditorUnit): string {
  return isPaste ? shown : text;
}

export function isSpace({ text, isPaste }: EditorUnit): boolean {
  return !isPaste && /^\s/.test(text);
}

export function isWordLetter({ text, isPaste }: EditorUnit): boolean {
  return !isPaste && /^[\p{L}\p{N}_]/u.test(text);
}
