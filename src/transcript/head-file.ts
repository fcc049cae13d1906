import { InPlaceFile, type InPlaceFileOptions } from "../lib/in-place-file.ts";
import type { ChainLink } from "./entry-chain.ts";

/**
 * Records the end of a transcript in a file outside the team directory, which nobody who can edit
 * only the transcript can write.
 */
export class HeadFile {
  readonly #file: InPlaceFile;

  private constructor(file: InPlaceFile) {
    this.#file = file;
  }

  static async open(path: string, options: InPlaceFileOptions): Promise<HeadFile> {
    return new HeadFile(await InPlaceFile.open(path, options));
  }

  /** Undefined if nothing is recorded. */
  async read(): Promise<ChainLink | undefined> {
    const [, number, sig = ""] = pattern.exec((await this.#file.read()) ?? "") ?? [];
    return number === undefined ? undefined : { number: Number(number), sig: sig.trim() };
  }

  /** Never throws: a head that is behind its transcript does no harm. */
  write({ number, sig }: ChainLink): void {
    this.#file.write(`${String(number).padStart(15)} ${sig.padEnd(64)}`);
  }
}

const pattern = /^ {0,14}(\d{1,15}) ([0-9a-f]{64}| {64})$/;
