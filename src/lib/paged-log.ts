import { identityOf } from "./appearance.ts";
import type { FilePath } from "./file-path.ts";
import { type FileLine, LineReader, type LineReaderOptions } from "./line-reader.ts";
import { listSegments, segmentPath, sideDirectory } from "./segments.ts";

/** A place in a log. Everything before it has been read. */
export interface LogPlace {
  generation: number;
  /** The start of a line. */
  offset: number;
  /** The file that `offset` is in; undefined before it is opened. */
  file: string | undefined;
}

/** A place as a text of letters, digits, `-` and `_`. */
export function logCursor({ generation, offset, file = "" }: LogPlace): string {
  return `${generation}_${offset}_${file}`;
}

/** The place of a cursor; undefined for an invalid one. */
export function logPlaceAt(cursor = ""): LogPlace | undefined {
  const [, generation, offset, file] = cursorPattern.exec(cursor) ?? [];
  if (generation === undefined) return undefined;
  return { generation: Number(generation), offset: Number(offset), file: file || undefined };
}

const cursorPattern = /^(\d{1,10})_(\d{1,15})_([a-z0-9-]*)$/;

/** One file of a log: the live one, or a segment. */
export interface LogFile {
  generation: number;
  reader: LineReader;
  isLive: boolean;
}

export interface PagedLogOptions extends LineReaderOptions {
  /** The directory of the segments (default: the side directory of the live file). */
  directory?: FilePath;
}

/**
 * A JSON Lines log that another process writes and rotates, read from any place in either
 * direction. Keeps no file open between two readings, and never changes one.
 */
export class PagedLog {
  readonly #path: FilePath;
  readonly #directory: FilePath;
  readonly #options: LineReaderOptions;

  constructor(
    path: FilePath,
    { directory = sideDirectory(path), ...options }: PagedLogOptions = {},
  ) {
    this.#path = path;
    this.#directory = directory;
    this.#options = options;
  }

  /**
   * The files from the newest to the oldest, each open until the next one is asked for. The live
   * file has the number that follows the newest segment's, or `leastLive` where that is higher.
   */
  async *newestFirst(leastLive = 1): AsyncGenerator<LogFile> {
    const { live, segments } = await this.#openLive();
    {
      await using reader = live;
      const generation = Math.max((segments.at(-1) ?? 0) + 1, leastLive);
      if (reader) yield { generation, reader, isLive: true };
    }
    for (const generation of segments.reverse()) {
      await using reader = await this.#open(segmentPath(this.#directory, generation));
      if (reader) yield { generation, reader, isLive: false };
    }
  }

  /**
   * Every whole line from `place` on; `place` is advanced. If somebody has deleted or replaced the
   * file, it is read from its start, and `onRestart` is called before its first line.
   */
  async *readOn(place: LogPlace, onRestart: () => void = () => {}): AsyncGenerator<FileLine> {
    for (;;) {
      await using live = await this.#open(this.#path);
      // Listed after the open: as long as no segment has this number, `live` is that generation,
      // even if the file is renamed while it is being read.
      const segments = await listSegments(this.#directory);
      const newest = segments.at(-1) ?? 0;
      if (place.generation > newest) {
        if (live) yield* readFile(live, place, onRestart);
        return;
      }
      await using segment = await this.#open(segmentPath(this.#directory, place.generation));
      if (segment) yield* readFile(segment, place, onRestart);
      const next = segments.find((number) => number > place.generation) ?? newest + 1;
      Object.assign(place, { generation: next, offset: 0, file: undefined });
    }
  }

  /** The live file and the segments that it follows. */
  async #openLive(): Promise<{ live: LineReader | undefined; segments: number[] }> {
    for (;;) {
      const segments = await listSegments(this.#directory);
      const live = await this.#open(this.#path);
      const after = await listSegments(this.#directory);
      // Otherwise `live` may be one of `after` under its new name.
      if (after.at(-1) === segments.at(-1)) return { live, segments };
      await live?.[Symbol.asyncDispose]();
    }
  }

  #open(path: FilePath): Promise<LineReader | undefined> {
    return LineReader.open(path, this.#options);
  }
}

async function* readFile(
  reader: LineReader,
  place: LogPlace,
  onRestart: () => void,
): AsyncGenerator<FileLine> {
  const stats = await reader.stat();
  const file = identityOf(stats);
  const isAnother = place.file !== undefined && place.file !== file;
  if (isAnother || stats.size < place.offset) {
    place.offset = 0;
    onRestart();
  }
  place.file = file;
  for await (const line of reader.forwards(place.offset)) {
    place.offset = line.end;
    yield line;
  }
}
