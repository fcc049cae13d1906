export interface HistoryOptions {
  /** The JSON-lines file it is kept in. */
  path: string;
  /** Told when the file cannot be read or written; the history goes on in memory. */
  onWarning(message: string): void;
}

/** What was submitted before, to be brought back with the arrow keys. */
export class History {
  readonly #entries: string[] = [];

  static async open(options: HistoryOptions): Promise<History> {
    void options;
    return new History();
  }

  /** Keeps a submitted text, also in the file. Goes back to the newest. */
  add(text: string): void {
    this.#entries.push(text);
  }

  /** The entry before the one shown; undefined where there is none. `draft` is what is typed now. */
  older(draft: string): string | undefined {
    void draft;
    return undefined;
  }

  /** The entry after the one shown, and after the newest the draft; undefined while on the draft. */
  newer(): string | undefined {
    return undefined;
  }
}
