import { HistoryFile } from "./history-file.ts";

export interface InputHistoryOptions {
  /** The JSON-lines file it is kept in. */
  path: string;
  /** What of a text the file may have: no secrets. */
  mask(text: string): string;
  /** Told when the file cannot be read or written; the history goes on in memory. */
  onWarning(message: string): void;
}

const maxEntries = 1_000;

/** What was submitted before, to be brought back with the arrow keys. */
export class InputHistory {
  readonly #file: HistoryFile;
  readonly #options: InputHistoryOptions;
  #entries: string[] = [];
  /** Which entry is shown; the number of entries stands for the draft. */
  #at = 0;
  #draft = "";

  private constructor(options: InputHistoryOptions) {
    this.#options = options;
    this.#file = new HistoryFile(options.path);
  }

  /** Reads the file. Never fails: what cannot be read is a warning. */
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

  /** Keeps a submitted text, also in the file. Goes back to the newest. */
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

  /** The entry before the one shown; undefined where there is none. `draft` is what is typed now. */
  older(draft: string): string | undefined {
    if (this.#at === 0) return undefined;
    if (this.#at === this.#entries.length) this.#draft = draft;
    this.#at--;
    return this.#entries[this.#at];
  }

  /** The entry after the one shown, and after the newest the draft; undefined while on the draft. */
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
