import { piecesOf, type StyledToken, Styles, widthOf } from "./styled-text.ts";

/** Text before the wrapped lines. */
export interface WrapOptions {
  /** Before the first line. */
  indent?: string;
  /** Before every other line (default: spaces as wide as `indent`). */
  hanging?: string;
}

/**
 * Wraps `text` to lines of at most `width` columns, between words where possible. Styles end with
 * each line and start again on the next, so that each line can be shown alone. The indentation is
 * left out if it would leave no room. A width below 2 counts as 2, which the widest letters need.
 */
export function wrapText(text: string, width: number, options: WrapOptions = {}): string[] {
  return wrapLines(text, width, options, (lines, room) => new WordWrapper(lines, room));
}

/** Like `wrapText`, but fills every line and keeps every space. */
export function wrapExactly(text: string, width: number, options: WrapOptions = {}): string[] {
  return wrapLines(text, width, options, (lines, room) => new ExactWrapper(lines, room));
}

/** The beginning of a line, at most `width` wide, with an ellipsis if it was cut. */
export function cutToWidth(text: string, width: number): string {
  if (width <= 0) return "";
  const styles = new Styles();
  let whole = "";
  let cut: string | undefined;
  let column = 0;
  for (const piece of piecesOf(text, Number.POSITIVE_INFINITY)) {
    if (!piece.isStyle && cut === undefined && column + piece.width > width - 1) {
      cut = `${whole}…${styles.closing}`;
    }
    if (column + piece.width > width) return cut ?? whole;
    if (piece.isStyle) styles.apply(piece.text);
    whole += piece.text;
    column += piece.width;
  }
  return whole;
}

interface Wrapper {
  add(piece: StyledToken): void;
  end(): void;
}

function wrapLines(
  text: string,
  width: number,
  { indent = "", hanging = " ".repeat(widthOf(indent)) }: WrapOptions,
  wrapperOf: (lines: StyledLines, room: number) => Wrapper,
): string[] {
  const most = Math.max(2, width);
  const indentation = Math.max(widthOf(indent), widthOf(hanging));
  const room = most - indentation >= 2 ? most - indentation : most;
  const lines = new StyledLines();
  for (const line of text.split("\n")) {
    const wrapper = wrapperOf(lines, room);
    for (const piece of piecesOf(line, room)) wrapper.add(piece);
    wrapper.end();
  }
  if (room === most && indentation > 0) return lines.whole;
  return lines.whole.map((line, index) => (index === 0 ? indent : hanging) + line);
}

/** Wrapped lines, each of which starts and ends its own styles. */
class StyledLines {
  readonly whole: string[] = [];
  readonly #styles = new Styles();
  #line = "";

  write({ text, isStyle }: StyledToken): void {
    if (isStyle) this.#styles.apply(text);
    this.#line += text;
  }

  endLine(): void {
    this.whole.push(this.#line + this.#styles.closing);
    this.#line = this.#styles.opening;
  }
}

/** Breaks a line only where it is full. */
class ExactWrapper implements Wrapper {
  readonly #lines: StyledLines;
  readonly #room: number;
  #column = 0;

  constructor(lines: StyledLines, room: number) {
    this.#lines = lines;
    this.#room = room;
  }

  add(piece: StyledToken): void {
    if (this.#column + piece.width > this.#room) {
      this.#lines.endLine();
      this.#column = 0;
    }
    this.#lines.write(piece);
    this.#column += piece.width;
  }

  end(): void {
    this.#lines.endLine();
  }
}

/** Breaks at spaces, which it drops there, and inside words that are longer than a line. */
class WordWrapper implements Wrapper {
  readonly #lines: StyledLines;
  readonly #room: number;
  #column = 0;
  /** The spaces and style codes before the word. */
  #gap: StyledToken[] = [];
  #gapWidth = 0;
  #word: StyledToken[] = [];
  #wordWidth = 0;
  /** Whether this line starts the text or follows a newline in it. */
  #isFirst = true;

  constructor(lines: StyledLines, room: number) {
    this.#lines = lines;
    this.#room = room;
  }

  add(piece: StyledToken): void {
    if (piece.text === " ") {
      this.#placeWord();
      this.#gap.push(piece);
      this.#gapWidth++;
    } else {
      this.#word.push(piece);
      this.#wordWidth += piece.width;
    }
  }

  end(): void {
    this.#placeWord();
    this.#writeGap((piece) => piece.isStyle);
    this.#lines.endLine();
  }

  #placeWord(): void {
    if (this.#word.every(({ isStyle }) => isStyle)) {
      for (const piece of this.#word) this.#gap.push(piece);
    } else {
      this.#placeGap();
      for (const piece of this.#word) this.#write(piece);
    }
    this.#word = [];
    this.#wordWidth = 0;
  }

  #placeGap(): void {
    const isIndentation = this.#isFirst && this.#column === 0;
    const fits = this.#column + this.#gapWidth + this.#wordWidth <= this.#room;
    if (fits || (isIndentation && this.#gapWidth < this.#room / 2)) {
      this.#writeGap(() => true);
      return;
    }
    this.#writeGap((piece) => piece.isStyle);
    if (this.#column > 0) this.#breakLine();
  }

  #writeGap(isKept: (piece: StyledToken) => boolean): void {
    for (const piece of this.#gap) if (isKept(piece)) this.#write(piece);
    this.#gap = [];
    this.#gapWidth = 0;
  }

  #write(piece: StyledToken): void {
    if (this.#column + piece.width > this.#room) this.#breakLine();
    this.#lines.write(piece);
    this.#column += piece.width;
  }

  #breakLine(): void {
    this.#lines.endLine();
    this.#column = 0;
    this.#isFirst = false;
  }
}
