import { closeSync, fstatSync, statSync, writeSync } from "node:fs";
import { TeamError } from "../errors.ts";
import { type FilePath, locationOf } from "../lib/file-path.ts";
import { writeFailed } from "../lib/json-lines.ts";
import { openPrivateSync } from "../lib/open-files.ts";

/** How often a line is written again because the log was rotated meanwhile. */
const maxAttempts = 20;
/** How many logs stay open at once, however many members there are. */
const maxOpen = 16;

interface OpenDescriptor {
  descriptor: number;
  inode: bigint;
  /** Whether the last write left a part of a line and no newline. */
  isTorn: boolean;
}

/**
 * Appends lines to logs that their readers may rotate at any moment. One write(2) a line on a
 * descriptor that stays open, so that lines of several processes never interleave.
 */
export class MailWriter implements Disposable {
  /** Open logs; the one that was written to last comes last. */
  readonly #open = new Map<FilePath, OpenDescriptor>();
  #latest: { path: FilePath; log: OpenDescriptor } | undefined;

  /** Returns when the reader will find the line. Otherwise throws `write-failed`. */
  write(path: FilePath, line: Buffer): void {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const log = this.#opened(path);
      // If the path still names this inode after the write, any rename comes later, and the reader
      // reads a log to its end after renaming it. The open descriptor pins the inode, so its
      // number cannot have been given to another file.
      if (this.#tryWrite(path, log, line) === log.inode) return;
      this.close(path);
    }
    throw new TeamError("write-failed", `${path} was replaced ${maxAttempts} times in a row`, {
      hint: "Check which other program writes to it.",
    });
  }

  /** Closes a log; the next line opens the file that then has this path. */
  close(path: FilePath): void {
    const log = this.#open.get(path);
    this.#open.delete(path);
    if (this.#latest?.path === path) this.#latest = undefined;
    if (log) closeSync(log.descriptor);
  }

  [Symbol.dispose](): void {
    for (const path of [...this.#open.keys()]) this.close(path);
  }

  /** The inode that `path` names after the write. */
  #tryWrite(path: FilePath, log: OpenDescriptor, line: Buffer): bigint | undefined {
    try {
      writeWhole(log, line);
      return statSync(locationOf(path), { bigint: true, throwIfNoEntry: false })?.ino;
    } catch (error) {
      throw writeFailed(path, error);
    }
  }

  #opened(path: FilePath): OpenDescriptor {
    if (this.#latest?.path === path) return this.#latest.log;
    const log = this.#open.get(path) ?? openLog(path);
    // Deleting and adding it again makes it the last one.
    this.#open.delete(path);
    this.#open.set(path, log);
    this.#latest = { path, log };
    const [oldest] = this.#open.keys();
    if (this.#open.size > maxOpen && oldest !== undefined) this.close(oldest);
    return log;
  }
}

function openLog(path: FilePath): OpenDescriptor {
  try {
    const descriptor = openPrivateSync(path, "a");
    try {
      return { descriptor, inode: fstatSync(descriptor, { bigint: true }).ino, isTorn: false };
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  } catch (error) {
    throw writeFailed(path, error);
  }
}

function writeWhole(log: OpenDescriptor, line: Buffer): void {
  const bytes = log.isTorn ? Buffer.concat([newline, line]) : line;
  const written = writeSync(log.descriptor, bytes);
  log.isTorn = written < bytes.length;
  if (!log.isTorn) return;
  // The next line must not be joined to the torn part, whichever process writes it.
  log.isTorn = writeSync(log.descriptor, newline) === 0;
  throw new Error(`${written} of ${bytes.length} bytes fitted`);
}

const newline = Buffer.from("\n");
