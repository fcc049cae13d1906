import type { FileHandle } from "node:fs/promises";
import { openIfExists } from "../lib/files.ts";
import { anchorLength } from "./mail-cursor.ts";
import { maxLineBytes, type RawLine } from "./mail-line.ts";

const chunkBytes = 256 * 1024;
const overlongHeadBytes = 4096;
const newline = 0x0a;

export interface ScannedLine extends RawLine {
  /** The offset behind its newline. */
  end: number;
  /** The last bytes before `end`, by which this place in the log is recognised later. */
  anchor: Buffer;
}

export interface Scan {
  inode: string;
  /** When the log was last written. */
  modified: Date;
  /** The whole lines that are not blank. */
  lines: ScannedLine[];
  /** What is behind the last whole line, blank or not. */
  end: number;
  anchor: Buffer;
}

export interface ScanOptions {
  path: string;
  offset: number;
  /** Whether these are the bytes before `offset` in the log that was read so far. */
  isExpected(bytesBefore: Buffer): boolean;
  /** Stop after about so many bytes of lines. */
  maxBytes: number;
}

/**
 * Reads whole lines from `offset` on; an unterminated tail is left for the next time. Undefined
 * where there is no file; "replaced" where the file is not the one that was read up to `offset`.
 */
export async function scanLog(options: ScanOptions): Promise<Scan | "replaced" | undefined> {
  const file = await openIfExists(options.path);
  if (!file) return undefined;
  try {
    const { ino, size, mtime: modified } = await file.stat({ bigint: true });
    if (Number(size) < options.offset) return "replaced";
    const scan = await scanLines(file, Number(size), options);
    return scan === "replaced" ? scan : { inode: String(ino), modified, ...scan };
  } finally {
    await file.close();
  }
}

/** The bytes by which `offset` is recognised later, and whether a line ends there. */
export async function readAnchor(
  path: string,
  offset: number,
): Promise<{ anchor: Buffer; isLineEnd: boolean }> {
  const file = await openIfExists(path);
  if (!file) return { anchor: Buffer.alloc(0), isLineEnd: offset === 0 };
  try {
    const length = Math.min(offset, anchorLength);
    const anchor = await readAt(file, offset - length, length);
    const isWhole = anchor.length === length;
    return { anchor, isLineEnd: isWhole && (offset === 0 || anchor.at(-1) === newline) };
  } finally {
    await file.close();
  }
}

async function scanLines(file: FileHandle, size: number, options: ScanOptions) {
  const { offset, maxBytes } = options;
  const beforeLength = Math.min(offset, anchorLength);
  let position = offset - beforeLength;
  let chunk = await readAt(file, position, Math.min(chunkBytes, size - position));
  const before = chunk.subarray(0, beforeLength);
  if (!options.isExpected(before)) return "replaced";

  const splitter = new LineSplitter(before, offset);
  splitter.push(chunk.subarray(beforeLength));
  position += chunk.length;
  // However long its first line is, a scan gets past it.
  const wantsMore = () => splitter.end === offset || position - offset < maxBytes;
  while (chunk.length > 0 && position < size && wantsMore()) {
    chunk = await readAt(file, position, Math.min(chunkBytes, size - position));
    splitter.push(chunk);
    position += chunk.length;
  }
  const { lines, end, anchor } = splitter;
  return { lines, end, anchor };
}

/** Cuts a stream of bytes into lines, holding no more than one unfinished line and an anchor. */
class LineSplitter {
  readonly lines: ScannedLine[] = [];
  anchor: Buffer;
  #held: Buffer;
  #heldAt: number;
  #lineStart: number;
  /** The beginning of a line that is too long to be held. */
  #head: Buffer | undefined;

  constructor(before: Buffer, offset: number) {
    this.anchor = Buffer.from(before);
    this.#held = before;
    this.#heldAt = offset - before.length;
    this.#lineStart = offset;
  }

  get end(): number {
    return this.#lineStart;
  }

  push(chunk: Buffer): void {
    const searchFrom = this.#held.length;
    this.#held = Buffer.concat([this.#held, chunk]);
    let at = this.#held.indexOf(newline, searchFrom);
    while (at !== -1) {
      this.#take(at);
      at = this.#held.indexOf(newline, at + 1);
    }
    this.#anchorHere();
    this.#forget();
  }

  #take(at: number): void {
    const start = this.#lineStart;
    const end = this.#heldAt + at + 1;
    const bytes = this.#head ?? this.#held.subarray(start - this.#heldAt, at);
    const isOverlong = this.#head !== undefined || bytes.length > maxLineBytes;
    this.#lineStart = end;
    this.#head = undefined;
    if (bytes.length === 0) return;
    const anchor = Buffer.from(this.#held.subarray(Math.max(0, at + 1 - anchorLength), at + 1));
    this.lines.push({ bytes, start, end, isOverlong, anchor });
  }

  #anchorHere(): void {
    const at = this.#lineStart - this.#heldAt;
    if (at < 0) return;
    this.anchor = Buffer.from(this.#held.subarray(Math.max(0, at - anchorLength), at));
  }

  #forget(): void {
    const lineAt = this.#lineStart - this.#heldAt;
    const isTooLong = this.#held.length - lineAt > maxLineBytes;
    if (isTooLong) {
      this.#head ??= Buffer.from(this.#held.subarray(lineAt, lineAt + overlongHeadBytes));
    }
    const keepFrom = Math.max(0, (this.#head ? this.#held.length : lineAt) - anchorLength);
    this.#held = this.#held.subarray(keepFrom);
    this.#heldAt += keepFrom;
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
