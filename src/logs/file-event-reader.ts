import { type FilePath, nameOf } from "../lib/file-path.ts";
import { parseLine } from "../lib/json-lines.ts";
import type { Line } from "../lib/line-reader.ts";
import { type LogPlace, PagedLog } from "../lib/paged-log.ts";
import type { WakeSource } from "../lib/wake-source.ts";
import { StoredEvent } from "../protocol/events.ts";
import type { EventReader, FollowOptions } from "./event-log.ts";
import { follow } from "./follow.ts";

/** Where a follower has got to. */
interface Follower extends LogPlace {
  /** Events up to this number have been seen before this reading began. */
  after: number;
  lastSeen: number;
}

/**
 * Reads `events.jsonl` and its segments, which another process may be writing, and never touches
 * them. A damaged line is left out; the gap in the numbers shows it.
 */
export class FileEventReader implements EventReader {
  readonly #fileName: string;
  readonly #log: PagedLog;
  readonly #wakes: WakeSource;

  constructor({ path, wakes }: { path: FilePath; wakes: WakeSource }) {
    this.#fileName = nameOf(path);
    this.#log = new PagedLog(path);
    this.#wakes = wakes;
  }

  async lastSeq(): Promise<number> {
    for await (const { seq } of this.newestFirst()) return seq;
    return 0;
  }

  /** What is kept, from the newest back. Whoever stops early has read no more than that. */
  async *newestFirst(): AsyncGenerator<StoredEvent> {
    for await (const { reader } of this.#log.newestFirst()) {
      for await (const line of reader.backwards()) {
        const stored = parseLine(line, StoredEvent, leaveOut);
        if (stored) yield stored;
      }
    }
  }

  async *follow({ after = 0, signal }: FollowOptions): AsyncGenerator<StoredEvent> {
    const generation = await this.#generationWith(after + 1);
    const follower: Follower = { generation, offset: 0, file: undefined, after, lastSeen: after };
    yield* follow({
      readNew: () => this.#readOn(follower),
      subscribe: (wake) => this.#wakes.subscribe(this.#fileName, wake),
      signal,
    });
  }

  async *#readOn(follower: Follower): AsyncGenerator<StoredEvent> {
    const restart = () => {
      // The file is read again, less what has been seen.
      follower.after = follower.lastSeen;
    };
    for await (const line of this.#log.readOn(follower, restart)) {
      if (line.isCut || seqOf(line.bytes.toString()) <= follower.after) continue;
      const stored = parseLine(line, StoredEvent, leaveOut);
      if (!stored) continue;
      follower.lastSeen = stored.seq;
      yield stored;
    }
  }

  /** The newest generation that begins no later than with event `seq`; 0 if all begin later. */
  async #generationWith(seq: number): Promise<number> {
    for await (const { generation, reader } of this.#log.newestFirst()) {
      const first = await firstEvent(reader.forwards());
      if (first && first.seq <= seq) return generation;
    }
    return 0;
  }
}

/** The number of an event without parsing its line, or NaN: most lines are only passed over. */
function seqOf(text: string): number {
  return Number(/"seq":(\d+)}$/.exec(text)?.[1]);
}

async function firstEvent(lines: AsyncIterable<Line>) {
  for await (const line of lines) {
    const stored = parseLine(line, StoredEvent, leaveOut);
    if (stored) return stored;
  }
  return undefined;
}

const leaveOut = () => {};
