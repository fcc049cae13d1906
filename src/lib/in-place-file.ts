import { writeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { checksum } from "./checksum.ts";
import { ensurePrivateDirectory, readTextIfExists } from "./files.ts";
import { HeldFiles } from "./held-files.ts";

export interface InPlaceFileOptions {
  onWarning(message: string): void;
  /** Keeps the file open from one text to the next. */
  files?: HeldFiles;
}

/**
 * A short text in a file that is overwritten in place, often and quickly. A checksum after the text
 * shows whether it is whole. Nothing here throws: the text is only a help, and its owner continues
 * without it.
 */
export class InPlaceFile {
  readonly #path: string;
  readonly #onWarning: (message: string) => void;
  readonly #files: HeldFiles | undefined;
  #hasWarned = false;

  private constructor(path: string, { onWarning, files }: InPlaceFileOptions) {
    this.#path = path;
    this.#onWarning = onWarning;
    this.#files = files;
  }

  static async open(path: string, options: InPlaceFileOptions): Promise<InPlaceFile> {
    const file = new InPlaceFile(path, options);
    try {
      await ensurePrivateDirectory(dirname(path));
    } catch (error) {
      file.#warn(`cannot be used: ${String(error)}`);
    }
    return file;
  }

  /** Undefined if the text is missing or damaged, with a warning for the latter. */
  async read(): Promise<string | undefined> {
    try {
      const stored = await readTextIfExists(this.#path);
      if (stored === undefined) return undefined;
      const [, text = "", sum] = pattern.exec(stored) ?? [];
      if (sum === this.#sumOf(text)) return text;
      this.#warn("is damaged");
    } catch (error) {
      this.#warn(`cannot be used: ${String(error)}`);
    }
    return undefined;
  }

  /** `text` must always have the same length, so that it overwrites the old one completely. */
  write(text: string): void {
    try {
      using own = new HeldFiles();
      const { descriptor } = (this.#files ?? own).open(this.#path, "r+");
      writeSync(descriptor, `${text} ${this.#sumOf(text)}\n`, 0);
    } catch (error) {
      this.#warn(`cannot be used: ${String(error)}`);
    }
  }

  /** Includes the name: the content of another file is not valid here. */
  #sumOf(text: string): string {
    return checksum(`${basename(this.#path)} ${text}`);
  }

  #warn(problem: string): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#onWarning(
      `${this.#path} ${problem}. It records how far a log of the team has come; without it, entries cut off the end of that log may go unnoticed.`,
    );
  }
}

const pattern = /^([^\n]*) ([0-9a-f]{8})\n$/;
