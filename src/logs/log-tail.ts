import { identityOf } from "../lib/appearance.ts";
import type { FilePath } from "../lib/file-path.ts";
import { type Line, LineReader } from "../lib/line-reader.ts";
import { listSegments, segmentPath, sideDirectory } from "../lib/segments.ts";

/**
 * Reads on in a log that another process writes and rotates (`RotatingFile`): every whole line once,
 * in order. Keeps no file open.
 */
export class LogTail {
  readonly #path: FilePath;
  readonly #directory: FilePath;
  #generation: number;
  #offset = 0;
  #file: string | undefined;
  #restarts = 0;

  /** Begins with generation `from`; with what is left where it has been dropped. */
  constructor(path: FilePath, from = 0) {
    this.#path = path;
    this.#directory = sideDirectory(path);
    this.#generation = from;
  }

  /** How often somebody has deleted or replaced the log, so that it was read from its start. */
  get restarts(): number {
    return this.#restarts;
  }

  async *readOn(): AsyncGenerator<Line> {
    for (;;) {
      await using live = await LineReader.open(this.#path);
      // Listed after the open: as long as no segment has this number, `live` is that generation,
      // even if the file is renamed while it is being read.
      const segments = await listSegments(this.#directory);
      const newest = segments.at(-1) ?? 0;
      if (this.#generation > newest) {
        if (live) yield* this.#read(live);
        return;
      }
      await using segment = await LineReader.open(segmentPath(this.#directory, this.#generation));
      if (segment) yield* this.#read(segment);
      this.#generation = segments.find((number) => number > this.#generation) ?? newest + 1;
      this.#offset = 0;
      this.#file = undefined;
    }
  }

  async *#read(reader: LineReader): AsyncGenerator<Line> {
    const stats = await reader.stat();
    const file = identityOf(stats);
    const isAnother = this.#file !== undefined && this.#file !== file;
    if (isAnother || stats.size < this.#offset) {
      this.#offset = 0;
      this.#restarts += 1;
    }
    this.#file = file;
    for await (const line of reader.forwards(this.#offset)) {
      this.#offset = line.end;
      yield line;
    }
  }
}
