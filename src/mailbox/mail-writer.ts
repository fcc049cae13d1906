import { closeSync, fstatSync, statSync, writeSync } from "node:fs";
import { TeamError } from "../errors.ts";
import { openPrivateSync } from "../lib/files.ts";

/** How often a line is written again because the log was rotated meanwhile. */
const maxAttempts = 20;

/**
 * Appends lines to a log that a reader may rotate at any moment. One write(2) a line on a
 * descriptor that stays open, so that lines of several processes never interleave.
 */
export class MailWriter implements Disposable {
  readonly #path: string;
  #open: { descriptor: number; inode: bigint } | undefined;
  #isTorn = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns when the line is where the reader will find it. Otherwise throws. */
  write(line: Buffer): void {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { descriptor, inode } = this.#opened();
      this.#writeWhole(descriptor, line);
      // If the path still names this inode after the write, any rename comes later, and the reader
      // reads a log to its end after renaming it. The open descriptor pins the inode, so its
      // number cannot have been given to another file.
      if (statSync(this.#path, { bigint: true, throwIfNoEntry: false })?.ino === inode) return;
      this[Symbol.dispose]();
    }
    throw new TeamError("write-failed", `${this.#path} was replaced ${maxAttempts} times in a row`);
  }

  [Symbol.dispose](): void {
    if (this.#open) closeSync(this.#open.descriptor);
    this.#open = undefined;
  }

  #opened(): { descriptor: number; inode: bigint } {
    if (this.#open) return this.#open;
    const descriptor = openPrivateSync(this.#path, "a");
    try {
      this.#open = { descriptor, inode: fstatSync(descriptor, { bigint: true }).ino };
      return this.#open;
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  #writeWhole(descriptor: number, line: Buffer): void {
    const bytes = this.#isTorn ? Buffer.concat([newline, line]) : line;
    const written = writeSync(descriptor, bytes);
    this.#isTorn = written < bytes.length;
    if (!this.#isTorn) return;
    // What follows must not be glued to the torn part, whoever writes it.
    this.#isTorn = writeSync(descriptor, newline) === 0;
    throw new TeamError(
      "write-failed",
      `Only ${written} of ${bytes.length} bytes could be written to ${this.#path}`,
      { hint: "The disk is probably full. Free some space and send again." },
    );
  }
}

const newline = Buffer.from("\n");
