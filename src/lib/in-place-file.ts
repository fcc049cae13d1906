import { closeSync, writeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { checksum } from "./checksum.ts";
import { ensurePrivateDirectory, readTextIfExists } from "./files.ts";
import { openPrivateSync } from "./open-files.ts";

/**
 * A short text in a file that is overwritten in place, often and quickly. A checksum after the text
 * shows whether it is whole. Nothing here throws: the text is only a help, and its owner continues
 * without it.
 */
export class InPlaceFile {
  readonly #path: string;
  readonly #onWarning: (message: string) => void;
  #hasWarned = false;

  private constructor(path: string, onWarning: (message: string) => void) {
    this.#path = path;
    this.#onWarning = onWarning;
  }

  static async open(path: string, onWarning: (message: string) => void): Promise<InPlaceFile> {
    const file = new InPlaceFile(path, onWarning);
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
      const descriptor = openPrivateSync(this.#path, "r+");
      try {
        writeSync(descriptor, `${text} ${this.#sumOf(text)}\n`, 0);
      } finally {
        closeSync(descriptor);
      }
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
