import { firstCharacters } from "../../lib/cut-text.ts";

const newline = 0x0a;
const maxLineCharacters = 10_000;
/** UTF-8 takes at most three bytes for a UTF-16 unit. */
const maxLineBytes = maxLineCharacters * 3;

export interface WindowOptions {
  /** How many lines to leave out at the beginning. */
  skip: number;
  maxLines: number;
  maxCharacters: number;
}

/** The lines of a file from one on, as many as fit, taken from its bytes as they arrive. */
export class LineWindow {
  readonly #options: WindowOptions;
  readonly #shown: string[] = [];
  #characters = 0;
  #isFull = false;
  /** The number of complete lines. */
  #ended = 0;
  /** The incomplete line: the part that is kept of it, and its length. */
  #kept: Buffer[] = [];
  #length = 0;

  constructor(options: WindowOptions) {
    this.#options = options;
  }

  /** True if no later line would be shown. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** How many lines there have been. */
  get lineCount(): number {
    return this.#ended + (this.#length > 0 ? 1 : 0);
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#append(chunk.subarray(start, end));
      this.#endLine("\n");
      start = end + 1;
    }
    this.#append(chunk.subarray(start));
  }

  /** The text shown, once everything was pushed; and how many lines follow it. */
  finish(): { text: string; linesLeft: number } {
    if (this.#length > 0) this.#endLine("");
    const linesLeft = this.#ended - this.#options.skip - this.#shown.length;
    return { text: this.#shown.join(""), linesLeft: Math.max(0, linesLeft) };
  }

  #append(piece: Buffer): void {
    const kept = Math.min(this.#length, maxLineBytes);
    const isShown = !this.#isFull && this.#ended >= this.#options.skip;
    if (isShown && kept < maxLineBytes) this.#kept.push(piece.subarray(0, maxLineBytes - kept));
    this.#length += piece.length;
  }

  #endLine(terminator: string): void {
    if (!this.#isFull && this.#ended >= this.#options.skip) this.#show(terminator);
    this.#ended++;
    this.#kept = [];
    this.#length = 0;
  }

  #show(terminator: string): void {
    const line = cutLine(Buffer.concat(this.#kept), this.#length) + terminator;
    this.#isFull = this.#characters + line.length > this.#options.maxCharacters;
    if (this.#isFull) return;
    this.#shown.push(line);
    this.#characters += line.length;
    this.#isFull = this.#shown.length >= this.#options.maxLines;
  }
}

function cutLine(kept: Buffer, length: number): string {
  const text = kept.toString("utf8");
  if (text.length <= maxLineCharacters && kept.length === length) return text;
  const shown = firstCharacters(text, maxLineCharacters);
  return `${shown} ... (${length - Buffer.byteLength(shown)} more bytes in this line)`;
}
