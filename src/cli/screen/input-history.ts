import { HistoryFile } from "./history-file.ts";

export interface InputHistoryOptions {
  /** The JSON Lines file of the history. */
  path: string;
  /** Removes secrets before a text is stored. */
  mask(text: string): string;
  /** Called if the file cannot be read or written; the history then stays in memory. */
  onWarning(message: string): void;
}

const maxEntries = 1_000;

/** The texts submitted before, for the arrow keys. */
export class InputHistory {
  readonly #file: HistoryFile;
  readonly #options: InputHistoryOptions;
  #entries: string[] = [];
  /** The index of the shown entry; the number of entries means the draft. */
  #at = 0;
  #draft = "";

  private constructor(options: InputHistoryOptions) {
    this.#options = options;
    this.#file = new HistoryFile(options.path);
  }

  /** Reads the file. Never fails: an unreadable file is a warning. */
  static async open(options: InputHistoryOptions): Promise<InputHistory> {
    const history = new InputHistory(options);
    try {
      for (const text of await history.#file.read(maxEntries)) history.#remember(text);
    } catch (error) {
      history.#warn("read", error);
    }
    history.#at = history.#entries.length;
    return history;
  }

  /** Adds a submitted text, also to the file, and returns to the newest. */
  add(text: string): void {
    const isNew = text.trim() !== "" && text !== this.#entries.at(-1);
    if (isNew) this.#remember(text);
    this.#at = this.#entries.length;
    this.#draft = "";
    if (!isNew) return;
    try {
      this.#file.append(this.#options.mask(text));
    } catch (error) {
      this.#warn("written", error);
    }
  }

  /** The entry before the shown one; undefined if there is none. `draft` is the current text. */
  older(draft: string): string | undefined {
    if (this.#at === 0) return undefined;
    if (this.#at === this.#entries.length) this.#draft = draft;
    this.#at--;
    return this.#entries[this.#at];
  }

  /** The entry after the shown one, or the draft after the newest; undefined on the draft. */
  newer(): string | undefined {
    if (this.#at === this.#entries.length) return undefined;
    this.#at++;
    return this.#at === this.#entries.length ? this.#draft : this.#entries[this.#at];
  }

  #remember(text: string): void {
    if (text === this.#entries.at(-1)) return;
    this.#entries.push(text);
    if (this.#entries.length > maxEntries) this.#entries = this.#entries.slice(-maxEntries);
  }

  #warn(done: string, error: unknown): void {
    if (!(error instanceof Error)) throw error;
    this.#options.onWarning(
      `The input history could not be ${done} (${error.message}). It is kept until you quit.`,
    );
  }
}
