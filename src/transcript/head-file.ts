import { InPlaceFile } from "../lib/in-place-file.ts";
import type { Link } from "./entry-chain.ts";

/**
 * Remembers how far a transcript had come, in a file outside the team directory, where nobody who
 * can edit the transcript can write.
 */
export class HeadFile {
  readonly #file: InPlaceFile;

  private constructor(file: InPlaceFile) {
    this.#file = file;
  }

  static async open(path: string, onWarning: (message: string) => void): Promise<HeadFile> {
    return new HeadFile(await InPlaceFile.open(path, onWarning));
  }

  /** Undefined where nothing is remembered. */
  async read(): Promise<Link | undefined> {
    const [, number, sig = ""] = pattern.exec((await this.#file.read()) ?? "") ?? [];
    return number === undefined ? undefined : { number: Number(number), sig: sig.trim() };
  }

  /** Never throws: a head that lags behind its transcript is no harm. */
  write({ number, sig }: Link): void {
    this.#file.write(`${String(number).padStart(15)} ${sig.padEnd(64)}`);
  }
}

const pattern = /^ {0,14}(\d{1,15}) ([0-9a-f]{64}| {64})$/;
