import { type BigIntStats, closeSync, fstatSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import type { FilePath } from "./file-path.ts";
import { openIfExistsSync } from "./open-files.ts";

/** One line of a file, without its newline. `end` is the offset of the next one. */
export interface FileLine {
  path: FilePath;
  offset: number;
  end: number;
  /** The whole line; if it is too long, only its end. */
  bytes: Buffer;
  isCut: boolean;
}

export interface LineReaderOptions {
  /** A longer line is cut, so that no line can fill the memory. */
  maxLineBytes?: number;
}

/** The longest record, with its newline: writers refuse a longer one, and readers cut it. */
export const maxRecordBytes = 16 * 1024 * 1024;

const chunkBytes = 256 * 1024;
/** So much is read at once: a step through the thread pool would take longer than the reading. */
const quickBytes = 64 * 1024;
/** How much is read at a time of a line that is too long, in search of its beginning. */
const skippedBytes = 4 * 1024 * 1024;
const newline = 0x0a;

/**
 * Reads the lines of one file from either end, holding no more of it than one chunk and one line.
 *
 * A line counts once its newline is there: text after the last newline may still be growing, or be
 * the unfinished line of a dead writer. The open file is the one that had this path when it was
 * opened, even if it is renamed since.
 */
export class LineReader implements AsyncDisposable {
  readonly #path: FilePath;
  readonly #descriptor: number;
  readonly #maxLineBytes: number;
  #stats: BigIntStats | undefined;

  private constructor(path: FilePath, descriptor: number, { maxLineBytes }: LineReaderOptions) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#maxLineBytes = maxLineBytes ?? maxRecordBytes;
  }

  /** Undefined if there is no such file. */
  static async open(
    path: FilePath,
    options: LineReaderOptions = {},
  ): Promise<LineReader | undefined> {
    const descriptor = openIfExistsSync(path);
    return descriptor === undefined ? undefined : new LineReader(path, descriptor, options);
  }

  /** The file's stats at the first call. Reading stops at the length it had then. */
  async stat(): Promise<BigIntStats> {
    this.#stats ??= fstatSync(this.#descriptor, { bigint: true });
    return this.#stats;
  }

  /** Up to `length` bytes from `offset` on. */
  async after(offset: number, length: number): Promise<Buffer> {
    return this.#read(offset, length);
  }

  /** Up to `length` bytes right before `offset`. */
  async before(offset: number, length: number): Promise<Buffer> {
    const start = Math.max(0, offset - length);
    return this.#read(start, offset - start);
  }

  /** The lines from byte `from` on, where a line must begin. */
  async *forwards(from = 0): AsyncGenerator<FileLine> {
    for await (const lines of this.batches(from)) yield* lines;
  }

  /** Like `forwards`, with as many lines at a time as one read returns. */
  async *batches(from = 0): AsyncGenerator<FileLine[]> {
    const splitter = new LineSplitter(this.#path, from, this.#maxLineBytes);
    let position = from;
    const { size } = await this.stat();
    while (position < size) {
      const chunk = await this.#read(position, Math.min(chunkBytes, Number(size) - position));
      if (chunk.length === 0) return;
      position += chunk.length;
      const lines = splitter.push(chunk);
      if (lines.length > 0) yield lines;
    }
  }

  /** The lines from the last to the first; with `to`, where a line must end, those before it. */
  async *backwards(to = Number.POSITIVE_INFINITY): AsyncGenerator<FileLine> {
    let isTail = true;
    for await (const piece of this.#piecesBackwards(to)) {
      if (!isTail) yield piece;
      isTail = false;
    }
  }

  /** The bytes after the last newline, if there are any. */
  async unterminated(): Promise<FileLine | undefined> {
    for await (const piece of this.#piecesBackwards(Number.POSITIVE_INFINITY)) {
      return piece.end - piece.offset === 1 ? undefined : piece;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    closeSync(this.#descriptor);
  }

  /** The text between newlines, from the end: first what follows the last one, maybe empty. */
  async *#piecesBackwards(to: number): AsyncGenerator<FileLine> {
    let position = Math.min(to, Number((await this.stat()).size));
    let piece = new LinePiece(this.#maxLineBytes);
    while (position > 0) {
      if (piece.isCut) {
        const start = await this.#lineStart(position);
        piece.skip(position - start);
        if (start === 0) break;
        yield piece.toLine(this.#path, start);
        piece = new LinePiece(this.#maxLineBytes);
        position = start - 1;
        continue;
      }
      const length = Math.min(chunkBytes, position);
      position -= length;
      let chunk = await this.#read(position, length);
      for (let cut = chunk.lastIndexOf(newline); cut !== -1; cut = chunk.lastIndexOf(newline)) {
        piece.prepend(chunk.subarray(cut + 1));
        yield piece.toLine(this.#path, position + cut + 1);
        piece = new LinePiece(this.#maxLineBytes);
        chunk = chunk.subarray(0, cut);
      }
      piece.prepend(chunk);
    }
    yield piece.toLine(this.#path, 0);
  }

  /** The start of the line that contains `end`. Keeps nothing of it, however long it is. */
  async #lineStart(end: number): Promise<number> {
    const buffer = Buffer.allocUnsafe(Math.min(skippedBytes, end));
    let position = end;
    while (position > 0) {
      const length = Math.min(buffer.length, position);
      position -= length;
      const { bytesRead } = await promisify(read)(this.#descriptor, buffer, 0, length, position);
      const cut = buffer.subarray(0, bytesRead).lastIndexOf(newline);
      if (cut !== -1) return position + cut + 1;
    }
    return 0;
  }

  async #read(position: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    const { bytesRead } =
      length <= quickBytes
        ? { bytesRead: readSync(this.#descriptor, buffer, 0, length, position) }
        : await promisify(read)(this.#descriptor, buffer, 0, length, position);
    return buffer.subarray(0, bytesRead);
  }
}

/** Cuts the bytes of a file, as they come in, into lines. */
export class LineSplitter {
  readonly #path: FilePath;
  readonly #maxLineBytes: number;
  #offset: number;
  #piece: LinePiece;

  constructor(path: FilePath, offset: number, maxLineBytes: number) {
    this.#path = path;
    this.#maxLineBytes = maxLineBytes;
    this.#offset = offset;
    this.#piece = new LinePiece(maxLineBytes);
  }

  /** The lines that `chunk`, which follows what came before, brings to an end. */
  push(chunk: Buffer): FileLine[] {
    const lines: FileLine[] = [];
    let start = 0;
    for (let cut = chunk.indexOf(newline); cut !== -1; cut = chunk.indexOf(newline, start)) {
      this.#piece.append(chunk.subarray(start, cut));
      const line = this.#piece.toLine(this.#path, this.#offset);
      lines.push(line);
      this.#offset = line.end;
      this.#piece = new LinePiece(this.#maxLineBytes);
      start = cut + 1;
    }
    this.#piece.append(chunk.subarray(start));
    return lines;
  }
}

/** A line that is put together from its parts; if it gets too long, only its end is kept. */
class LinePiece {
  length = 0;
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isCut(): boolean {
    return this.length > this.#maxBytes;
  }

  append(part: Buffer): void {
    this.length += part.length;
    this.#held += part.length;
    this.#parts.push(part);
    const [first] = this.#parts;
    if (first && this.#held - first.length >= this.#maxBytes) {
      this.#parts.shift();
      this.#held -= first.length;
    }
  }

  prepend(part: Buffer): void {
    this.length += part.length;
    if (this.#held >= this.#maxBytes) return;
    this.#held += part.length;
    this.#parts.unshift(part);
  }

  /** Counts bytes before it that nobody needs. */
  skip(length: number): void {
    this.length += length;
  }

  toLine(path: FilePath, offset: number): FileLine {
    const { length, isCut } = this;
    return { path, offset, end: offset + length + 1, bytes: this.#bytes(), isCut };
  }

  #bytes(): Buffer {
    const [only] = this.#parts;
    const bytes = only && this.#parts.length === 1 ? only : Buffer.concat(this.#parts);
    return this.isCut ? bytes.subarray(-this.#maxBytes) : bytes;
  }
}
