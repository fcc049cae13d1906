import { EventEmitter } from "node:events";

/**
 * A terminal that keeps what it shows: a screen of cells with the history above it. It knows the
 * control sequences that the program uses, and throws at any other.
 */
export class VirtualTerminal extends EventEmitter {
  columns: number;
  rows: number;
  readonly isTTY = true;
  writableNeedDrain = false;
  /** Everything that was written, as it was. */
  raw = "";
  /** Bells, titles and other messages to the terminal itself. */
  readonly messages: string[] = [];
  #lines: string[][] = [[]];
  #row = 0;
  #column = 0;
  #saved = { row: 0, column: 0 };
  /** The screen and its history while the alternate screen is open. */
  #first: { lines: string[][]; row: number; column: number } | undefined;

  constructor({ columns, rows }: { columns: number; rows: number }) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): boolean {
    this.raw += text;
    let at = 0;
    while (at < text.length) at += this.#take(text.slice(at));
    return true;
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.emit("resize");
  }

  hasColors(): boolean {
    return false;
  }

  /** What is on the screen and above it, without space at the ends. */
  get text(): string {
    return this.#lines
      .map((line) => line.join("").trimEnd())
      .join("\n")
      .trimEnd();
  }

  get cursor(): { row: number; column: number } {
    return { row: this.#row, column: this.#column };
  }

  /** Takes one character or one sequence, and says how long it was. */
  #take(text: string): number {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what it is about.
    const sequence = /^\x1b\[([?<>\d;]*)([A-Za-z])/.exec(text);
    if (sequence) {
      this.#obey(sequence[2] ?? "", sequence[1] ?? "");
      return sequence[0].length;
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
    const [message] = /^(?:\x1b\][^\x07]*\x07|\x1bP.*?\x1b\\|\x07)/s.exec(text) ?? [];
    if (message !== undefined) {
      this.messages.push(message);
      return message.length;
    }
    if (text.startsWith("\x1b7") || text.startsWith("\x1b8")) {
      if (text[1] === "7") this.#saved = this.cursor;
      else ({ row: this.#row, column: this.#column } = this.#saved);
      return 2;
    }
    const [character = ""] = text;
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#newline();
    else if (character < " ")
      throw new Error(`An unknown control character: ${JSON.stringify(text.slice(0, 20))}`);
    else this.#put(character);
    return character.length;
  }

  #put(character: string): void {
    if (this.#column >= this.columns) {
      this.#newline();
      this.#column = 0;
    }
    const line = this.#lines[this.#row] ?? [];
    while (line.length < this.#column) line.push(" ");
    line[this.#column] = character;
    this.#lines[this.#row] = line;
    this.#column++;
  }

  #newline(): void {
    this.#row++;
    if (this.#row >= this.#lines.length) this.#lines.push([]);
  }

  /** The first row that is on the screen; what is above it cannot be reached any more. */
  get #top(): number {
    return Math.max(0, this.#lines.length - this.rows);
  }

  #obey(name: string, parameters: string): void {
    const count = Number(parameters === "" ? 1 : parameters);
    if (name === "A") this.#row = Math.max(this.#top, this.#row - count);
    else if (name === "B") this.#row = Math.min(this.#top + this.rows - 1, this.#row + count);
    else if (name === "C") this.#column = Math.min(this.columns - 1, this.#column + count);
    else if (name === "H" && parameters === "") {
      this.#row = this.#top;
      this.#column = 0;
    } else if (name === "J" && parameters === "2") this.#lines.splice(this.#top, this.rows, []);
    else if (parameters === "?1049" && name === "h") this.#enterAlternate();
    else if (parameters === "?1049" && name === "l") this.#leaveAlternate();
    else if (name === "u" && /^[<>]/.test(parameters)) return;
    else if (name === "t" && /^2[23];2$/.test(parameters)) return;
    else if (name === "K" && parameters === "") this.#lines[this.#row]?.splice(this.#column);
    else if (name === "J" && parameters === "") {
      this.#lines[this.#row]?.splice(this.#column);
      this.#lines.splice(this.#row + 1);
    } else if (name !== "m" && !((name === "h" || name === "l") && parameters.startsWith("?"))) {
      throw new Error(`An unknown control sequence: ${parameters}${name}`);
    }
  }

  #enterAlternate(): void {
    this.#first ??= { lines: this.#lines, row: this.#row, column: this.#column };
    this.#lines = [[]];
    this.#row = 0;
    this.#column = 0;
  }

  #leaveAlternate(): void {
    if (!this.#first) return;
    this.#lines = this.#first.lines;
    this.#row = this.#first.row;
    this.#column = this.#first.column;
    this.#first = undefined;
  }
}
