import { type FilePath, nameOf } from "../lib/file-path.ts";
import { parseLine } from "../lib/json-lines.ts";
import { LineReader } from "../lib/line-reader.ts";
import { listSegments, segmentPath, sideDirectory } from "../lib/segments.ts";
import type { WakeSource } from "../lib/wake-source.ts";
import { StoredEvent } from "../protocol/events.ts";
import type { EventReader, FollowOptions } from "./event-log.ts";
import { follow } from "./follow.ts";

/** Where a follower has got to. */
interface Cursor {
  generation: number;
  offset: number;
  /** The file that `offset` is in; undefined before it has been opened. */
  ino: bigint | undefined;
  /** Events up to this number have been seen before this reading began. */
  after: number;
  lastSeen: number;
}

/**
 * Reads `events.jsonl` and its segments, which another process may be writing, and never touches
 * them. A damaged line is left out; the gap in the numbers shows it.
 */
export class FileEventReader implements EventReader {
  readonly #path: FilePath;
  readonly #directory: FilePath;
  readonly #wakes: WakeSource;

  constructor({ path, wakes }: { path: FilePath; wakes: WakeSource }) {
    this.#path = path;
    this.#directory = sideDirectory(path);
    this.#wakes = wakes;
  }

  async lastSeq(): Promise<number> {
    for await (const { seq } of this.newestFirst()) return seq;
    return 0;
  }

  /** What is kept, from the newest back. Whoever stops early has read no more than that. */
  async *newestFirst(): AsyncGenerator<StoredEvent> {
    for (const { path } of await this.#filesNewestFirst()) {
      await using reader = await LineReader.open(path);
      for await (const line of reader?.backwards() ?? []) {
        const stored = parseLine(line, StoredEvent, leaveOut);
        if (stored) yield stored;
      }
    }
  }

  async *follow({ after = 0, signal }: FollowOptions): AsyncGenerator<StoredEvent> {
    const generation = await this.#generationWith(after + 1);
    const cursor: Cursor = { generation, offset: 0, ino: undefined, after, lastSeen: after };
    yield* follow({
      readNew: () => this.#readOn(cursor),
      subscribe: (wake) => this.#wakes.subscribe(nameOf(this.#path), wake),
      signal,
    });
  }

  /** Reads from `cursor` to the end of the live file, through all segments in between. */
  async *#readOn(cursor: Cursor): AsyncGenerator<StoredEvent> {
    let isLive = false;
    while (!isLive) {
      await using live = await LineReader.open(this.#path);
      // Listed after the open: as long as no segment has the cursor's number, `live` is that
      // generation, even if the file is renamed while it is being read.
      const segments = await listSegments(this.#directory);
      const newest = segments.at(-1) ?? 0;
      isLive = cursor.generation > newest;
      if (isLive) {
        if (live) yield* readEvents(live, cursor);
      } else {
        await using segment = await LineReader.open(
          segmentPath(this.#directory, cursor.generation),
        );
        if (segment) yield* readEvents(segment, cursor);
        cursor.generation = segments.find((number) => number > cursor.generation) ?? newest + 1;
        cursor.offset = 0;
        cursor.ino = undefined;
      }
    }
  }

  /** The newest generation that begins no later than with event `seq`; 0 if all begin later. */
  async #generationWith(seq: number): Promise<number> {
    for (const { generation, path } of await this.#filesNewestFirst()) {
      await using reader = await LineReader.open(path);
      const first = await firstEvent(reader?.forwards());
      if (first && first.seq <= seq) return generation;
    }
    return 0;
  }

  async #filesNewestFirst(): Promise<{ generation: number; path: FilePath }[]> {
    const segments = await listSegments(this.#directory);
    const live = { generation: (segments.at(-1) ?? 0) + 1, path: this.#path };
    const older = segments.map((generation) => ({
      generation,
      path: segmentPath(this.#directory, generation),
    }));
    return [live, ...older.reverse()];
  }
}

/** The events of one file from `cursor` on, which moves along. */
async function* readEvents(reader: LineReader, cursor: Cursor): AsyncGenerator<StoredEvent> {
  const { ino, size } = await reader.stat();
  if (cursor.ino !== undefined && (ino !== cursor.ino || size < cursor.offset)) {
    // Somebody has deleted or replaced the file: it is read again, less what has been seen.
    cursor.offset = 0;
    cursor.after = cursor.lastSeen;
  }
  cursor.ino = ino;
  for await (const line of reader.forwards(cursor.offset)) {
    cursor.offset = line.end;
    if (line.isCut || seqOf(line.bytes.toString()) <= cursor.after) continue;
    const stored = parseLine(line, StoredEvent, leaveOut);
    if (!stored) continue;
    cursor.lastSeen = stored.seq;
    yield stored;
  }
}

/** The number of an event without parsing its line, or NaN: most lines are only passed over. */
function seqOf(text: string): number {
  return Number(/"seq":(\d+)}$/.exec(text)?.[1]);
}

async function firstEvent(lines: ReturnType<LineReader["forwards"]> | undefined) {
  for await (const line of lines ?? []) {
    const stored = parseLine(line, StoredEvent, leaveOut);
    if (stored) return stored;
  }
  return undefined;
}

const leaveOut = () => {};
