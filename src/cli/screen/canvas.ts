import type { TerminalOutput } from "../command.ts";
import { widthOf } from "../render/styled-text.ts";

/** The part of the terminal that is redrawn. No line may be wider than the canvas. */
export interface ScreenFrame {
  lines: readonly string[];
  /** The cursor, in cells from the first line and from the left. */
  cursor: { row: number; column: number };
}

const beginUpdate = "\x1b[?2026h";
const endUpdate = "\x1b[?2026l";
const eraseToLineEnd = "\x1b[K";
const eraseBelow = "\x1b[J";
/**
 * Erases from the cursor, at the start of a line, to the end of the screen, and leaves the cursor there. In two steps: tmux moves
 * what is erased from the first cell of the screen into the history instead, where it would stay.
 */
const eraseFromLine = `\x1b7${eraseToLineEnd}\x1b[B${eraseBelow}\x1b8`;
const wipeScreen = "\x1b[H\x1b[2J";

/**
 * The lower part of a terminal, which is redrawn. Printed lines stay above it and become part of
 * the terminal's own history, where they can be scrolled, searched and copied, and cost nothing
 * more.
 */
export class Canvas {
  readonly #output: TerminalOutput;
  #drawn: readonly string[] = [];
  /** The row of the cursor in the drawn lines. */
  #cursorRow = 0;
  #columns: number;

  constructor(output: TerminalOutput) {
    this.#output = output;
    this.#columns = output.columns;
  }

  /** The maximum width of a line: terminals differ in how they wrap a full line. */
  get width(): number {
    return Math.max(1, this.#output.columns - 1);
  }

  /** The maximum number of lines that does not scroll away the lines above the frame. */
  get height(): number {
    return Math.max(1, this.#output.rows - 1);
  }

  /** False while the terminal's buffer is full: then drawing waits. */
  get isReady(): boolean {
    return !this.#output.writableNeedDrain;
  }

  /** Prints lines that stay, and draws the frame below them, in one write. */
  draw({ lines, cursor }: ScreenFrame, printed: readonly string[] = []): void {
    const surplus = Math.max(0, lines.length - this.height);
    const shown = lines.slice(surplus);
    const row = Math.max(0, cursor.row - surplus);
    const isAnew = printed.length > 0 || this.#columns !== this.#output.columns;
    const body = isAnew
      ? `${this.#toTop()}${eraseFromLine}${printed.map((line) => `${line}\r\n`).join("")}${shown.join("\r\n")}`
      : `${this.#toTop()}${this.#changes(shown)}`;
    const up = shown.length - 1 - row;
    const place = `${up > 0 ? `\x1b[${up}A` : ""}\r${cursor.column > 0 ? `\x1b[${cursor.column}C` : ""}`;
    this.#output.write(`${beginUpdate}${body}${place}${endUpdate}`);
    this.#drawn = shown;
    this.#cursorRow = row;
    this.#columns = this.#output.columns;
  }

  clear(): void {
    this.#output.write(`${this.#toTop()}${eraseFromLine}`);
    this.#drawn = [];
    this.#cursorRow = 0;
  }

  /** Erases the screen. What is above it stays. */
  wipe(): void {
    this.#output.write(wipeScreen);
    this.#drawn = [];
    this.#cursorRow = 0;
  }

  /** Writes only the lines that differ, so that typing over a slow connection feels immediate. */
  #changes(lines: readonly string[]): string {
    const rows = lines.map((line, index) =>
      line === this.#drawn[index] ? "" : `${line}${eraseToLineEnd}`,
    );
    return `${rows.join("\r\n")}${this.#drawn.length > lines.length ? `\r\n${eraseBelow}\x1b[1A` : ""}`;
  }

  /**
   * Moves to the first cell of the frame. A terminal that became narrower has wrapped the lines.
   */
  #toTop(): string {
    const { columns } = this.#output;
    const above = this.#drawn.slice(0, this.#cursorRow);
    const rows = above.map((line) => Math.max(1, Math.ceil(widthOf(line) / columns)));
    const up = rows.reduce((sum, count) => sum + count, 0);
    return `${up > 0 ? `\x1b[${up}A` : ""}\r`;
  }
}
