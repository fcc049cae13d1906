import { piecesOf, type StyledPiece, Styles, widthOf } from "./styled-text.ts";

/** What stands before the lines that a text is wrapped to. */
export interface WrapOptions {
  /** Before the first line. */
  indent?: string;
  /** Before every other line; as many spaces as `indent` is wide unless given. */
  hanging?: string;
}

/**
 * `text` as lines no wider than `width` columns, broken between words where possible. Styles end
 * with each line and begin again on the next, so every line can be shown alone. What stands before
 * the lines is left out where it would leave no room, and a width below 2 counts as 2: the widest
 * letters need that.
 */
export function wrapText(text: string, width: number, options: WrapOptions = {}): string[] {
  return wrapLines(text, width, options, (lines, room) => new WordWrapper(lines, room));
}

/** As `wrapText`, but every line is filled before the next begins and no space is left out. */
export function wrapExactly(text: string, width: number, options: WrapOptions = {}): string[] {
  return wrapLines(text, width, options, (lines, room) => new ExactWrapper(lines, room));
}

/** The beginning of one line, no wider than `width`, with an ellipsis where something was cut. */
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
  add(piece: StyledPiece): void;
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

/** Lines that are being written, each of which begins and ends its styles itself. */
class StyledLines {
  readonly whole: string[] = [];
  readonly #styles = new Styles();
  #line = "";

  write({ text, isStyle }: StyledPiece): void {
    if (isStyle) this.#styles.apply(text);
    this.#line += text;
  }

  endLine(): void {
    this.whole.push(this.#line + this.#styles.closing);
    this.#line = this.#styles.opening;
  }
}

/** Breaks where a line is full. */
class ExactWrapper implements Wrapper {
  readonly #lines: StyledLines;
  readonly #room: number;
  #column = 0;

  constructor(lines: StyledLines, room: number) {
    this.#lines = lines;
    this.#room = room;
  }

  add(piece: StyledPiece): void {
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

/** Breaks at spaces, which are left out there, and inside words that no line has room for. */
class WordWrapper implements Wrapper {
  readonly #lines: StyledLines;
  readonly #room: number;
  #column = 0;
  /** The spaces, and style codes between them, that stand before the word. */
  #gap: StyledPiece[] = [];
  #gapWidth = 0;
  #word: StyledPiece[] = [];
  #wordWidth = 0;
  /** Whether the line that is being written begins the text or follows a newline in it. */
  #isFirst = true;

  constructor(lines: StyledLines, room: number) {
    this.#lines = lines;
    this.#room = room;
  }

  add(piece: StyledPiece): void {
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

  #writeGap(isKept: (piece: StyledPiece) => boolean): void {
    for (const piece of this.#gap) if (isKept(piece)) this.#write(piece);
    this.#gap = [];
    this.#gapWidth = 0;
  }

  #write(piece: StyledPiece): void {
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
