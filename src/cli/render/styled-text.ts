import { graphemes, graphemeWidth } from "./graphemes.ts";

/** A grapheme of a styled text, or a style code in it. */
export interface StyledToken {
  text: string;
  /** Columns; 0 for a style code. */
  width: number;
  isStyle: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are control sequences
const styleCode = /(\u001b\[[0-9;]*m)/;

/** The letters and style codes of a line, in order. No letter is wider than `widest`. */
export function* piecesOf(line: string, widest: number): Generator<StyledToken> {
  for (const [index, part] of line.split(styleCode).entries()) {
    if (index % 2 === 1) yield { text: part, width: 0, isStyle: true };
    else yield* letters(part, widest);
  }
}

function* letters(text: string, widest: number): Generator<StyledToken> {
  for (const letter of graphemes(text)) {
    const width = graphemeWidth(letter);
    if (width <= widest) yield { text: letter, width, isStyle: false };
    // A base with many spacing marks is one grapheme, however wide.
    else
      for (const part of letter) yield { text: part, width: graphemeWidth(part), isStyle: false };
  }
}

/** The columns that one line takes on a terminal; styles take none. */
export function widthOf(line: string): number {
  let width = 0;
  for (const piece of piecesOf(line, Number.POSITIVE_INFINITY)) width += piece.width;
  return width;
}

/** The styles that are active at a position of a text. */
export class Styles {
  #open: { code: string; end: string }[] = [];

  get opening(): string {
    return this.#open.map(({ code }) => code).join("");
  }

  get closing(): string {
    return [...new Set(this.#open.map(({ end }) => end))].reverse().join("");
  }

  apply(code: string): void {
    const parameter = Number.parseInt(code.slice(2), 10) || 0;
    if (parameter === 0) {
      this.#open = [];
      return;
    }
    const end = endOf(parameter);
    const isEnd = end === undefined;
    const replaced = isEnd ? code : end;
    // Bold and dim have the same end code but do not replace each other.
    const stays = (style: { code: string; end: string }) =>
      style.end !== replaced || (!isEnd && style.code !== code && end === weightEnd);
    this.#open = this.#open.filter(stays);
    if (end !== undefined) this.#open.push({ code, end });
  }
}

const weightEnd = "\u001b[22m";

/** The end code of a style; undefined if `parameter` is an end code itself. */
function endOf(parameter: number): string | undefined {
  if (parameter === 1 || parameter === 2) return weightEnd;
  if (parameter < 10) return `\u001b[${20 + parameter}m`;
  if ((parameter >= 30 && parameter <= 38) || (parameter >= 90 && parameter <= 97)) {
    return "\u001b[39m";
  }
  if ((parameter >= 40 && parameter <= 48) || (parameter >= 100 && parameter <= 107)) {
    return "\u001b[49m";
  }
  return undefined;
}
