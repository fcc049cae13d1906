import { closeSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { ensurePrivateDirectory, readTextIfExists } from "../lib/files.ts";
import { openPrivateSync } from "../lib/open-files.ts";
import type { Link } from "./entry-chain.ts";

/** Remembers how far a transcript had come, where nobody who can edit the transcript can write. */
export interface ChainHead {
  /** Undefined where nothing is remembered. */
  read(): Promise<Link | undefined>;
  /** Never throws: a head that lags behind its transcript is no harm. */
  write(link: Link): void;
}

/** The head of one transcript in a file outside the team directory. */
export class HeadFile implements ChainHead {
  readonly #path: string;
  readonly #onWarning: (message: string) => void;
  #hasWarned = false;

  private constructor(path: string, onWarning: (message: string) => void) {
    this.#path = path;
    this.#onWarning = onWarning;
  }

  static async open(path: string, onWarning: (message: string) => void): Promise<HeadFile> {
    const head = new HeadFile(path, onWarning);
    try {
      await ensurePrivateDirectory(dirname(path));
    } catch (error) {
      head.#warn(error);
    }
    return head;
  }

  async read(): Promise<Link | undefined> {
    try {
      const [, number, sig = ""] = pattern.exec((await readTextIfExists(this.#path)) ?? "") ?? [];
      return number === undefined ? undefined : { number: Number(number), sig };
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  write({ number, sig }: Link): void {
    try {
      const descriptor = openPrivateSync(this.#path, "r+");
      try {
        // Of one length always, so that it is written over as a whole and never cut first.
        const text = `${String(number).padStart(15)} ${sig.padEnd(64)}\n`;
        writeSync(descriptor, text, 0);
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#onWarning(
      `${this.#path} cannot be used: ${String(error)}. Entries that somebody cuts off the end of a transcript are not missed.`,
    );
  }
}

const pattern = /^ {0,14}(\d{1,15}) ([0-9a-f]{64}| {64})\n$/;
