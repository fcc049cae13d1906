import type { FileHandle } from "node:fs/promises";
import { identityOf } from "../../lib/appearance.ts";
import type { FilePath } from "../../lib/file-path.ts";
import { type FileLine, LineSplitter, maxRecordBytes } from "../../lib/line-reader.ts";
import { openIfExists } from "../../lib/open-files.ts";

/** The file at a path as it grows, and the next one when another takes its place. */
export class GrowingFile implements AsyncDisposable {
  readonly #path: FilePath;
  #file: FileHandle | undefined;
  #id: string | undefined;
  /** The start of the first line that was not read. */
  #offset = 0;

  constructor(path: FilePath) {
    this.#path = path;
  }

  /** Identifies the file that is being read; undefined if it is missing. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Starts at the beginning of the current file. Resolves to its id. */
  async open(): Promise<string | undefined> {
    this.#file = await openIfExists(this.#path);
    this.#id = await idOf(this.#file);
    return this.#id;
  }

  /** Continues at `offset`, where a line begins. */
  skipTo(offset: number): void {
    this.#offset = offset;
  }

  /** The whole lines that have been added since. */
  async *readOn(): AsyncGenerator<FileLine> {
    for (;;) {
      // Opened before the rest of the old file is read: what is renamed does not grow any more.
      const now = await openIfExists(this.#path);
      const id = await idOf(now);
      const isAnother = now !== undefined && id !== this.#id;
      let needless = now;
      try {
        yield* this.#rest();
        if (!isAnother) return;
        needless = this.#file;
        this.#file = now;
        this.#id = id;
        this.#offset = 0;
      } finally {
        await needless?.close();
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
  }

  async *#rest(): AsyncGenerator<FileLine> {
    const splitter = new LineSplitter(this.#path, this.#offset, maxRecordBytes);
    let position = this.#offset;
    for (;;) {
      const chunk = await this.#file?.read(Buffer.alloc(chunkBytes), 0, chunkBytes, position);
      if (!chunk || chunk.bytesRead === 0) return;
      position += chunk.bytesRead;
      for (const line of splitter.push(chunk.buffer.subarray(0, chunk.bytesRead))) {
        this.#offset = line.end;
        yield line;
      }
    }
  }
}

const chunkBytes = 64 * 1024;

async function idOf(file: FileHandle | undefined): Promise<string | undefined> {
  const stats = await file?.stat({ bigint: true });
  return stats && identityOf(stats);
}
