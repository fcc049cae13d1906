import type { FileHandle } from "node:fs/promises";
import { openIfExists } from "./files.ts";

/** One line of a file, without its newline. `end` is where the next one begins. */
export interface Line {
  path: string;
  offset: number;
  end: number;
  text: string;
}

const chunkBytes = 64 * 1024;
const newline = 0x0a;

/**
 * Reads the lines of one file from either end, holding no more of it than one chunk and one line.
 *
 * A line counts once its newline is there: what follows the last newline may still be growing, or
 * be all that a writer could leave. The open file is the one that had this path when it was opened,
 * whatever is renamed since.
 */
export class LineReader implements AsyncDisposable {
  readonly #path: string;
  readonly #file: FileHandle;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Undefined where there is no such file. */
  static async open(path: string): Promise<LineReader | undefined> {
    const file = await openIfExists(path);
    return file && new LineReader(path, file);
  }

  async stat(): Promise<{ ino: number; size: number }> {
    return this.#file.stat();
  }

  /** The lines from byte `from` on, where a line must begin. */
  async *forwards(from = 0): AsyncGenerator<Line> {
    let offset = from;
    let parts: Buffer[] = [];
    let position = from;
    for (;;) {
      const chunk = await this.#read(position, chunkBytes);
      if (chunk.length === 0) return;
      position += chunk.length;
      let start = 0;
      for (let cut = chunk.indexOf(newline); cut !== -1; cut = chunk.indexOf(newline, start)) {
        const line = this.#line(offset, [...parts, chunk.subarray(start, cut)]);
        yield line;
        offset = line.end;
        parts = [];
        start = cut + 1;
      }
      parts.push(chunk.subarray(start));
    }
  }

  /** The lines from the last to the first. */
  async *backwards(): AsyncGenerator<Line> {
    let isTail = true;
    for await (const piece of this.#piecesBackwards()) {
      if (!isTail) yield piece;
      isTail = false;
    }
  }

  /** What follows the last newline, if anything does. */
  async unterminated(): Promise<Line | undefined> {
    for await (const piece of this.#piecesBackwards()) {
      return piece.text === "" ? undefined : piece;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }

  /** What lies between newlines, from the end: first, maybe empty, what follows the last one. */
  async *#piecesBackwards(): AsyncGenerator<Line> {
    let { size: position } = await this.stat();
    let parts: Buffer[] = [];
    while (position > 0) {
      const length = Math.min(chunkBytes, position);
      position -= length;
      let chunk = await this.#read(position, length);
      for (let cut = chunk.lastIndexOf(newline); cut !== -1; cut = chunk.lastIndexOf(newline)) {
        yield this.#line(position + cut + 1, [chunk.subarray(cut + 1), ...parts]);
        parts = [];
        chunk = chunk.subarray(0, cut);
      }
      parts.unshift(chunk);
    }
    yield this.#line(0, parts);
  }

  async #read(position: number, length: number): Promise<Buffer> {
    const { buffer, bytesRead } = await this.#file.read(
      Buffer.allocUnsafe(length),
      0,
      length,
      position,
    );
    return buffer.subarray(0, bytesRead);
  }

  #line(offset: number, parts: readonly Buffer[]): Line {
    const bytes = Buffer.concat(parts);
    return { path: this.#path, offset, end: offset + bytes.length + 1, text: bytes.toString() };
  }
}
