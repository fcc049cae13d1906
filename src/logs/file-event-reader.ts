import type { z } from "zod";
import { type FilePath, nameOf } from "../lib/file-path.ts";
import { parseLine } from "../lib/json-lines.ts";
import type { FileLine } from "../lib/line-reader.ts";
import { type LogPlace, PagedLog } from "../lib/paged-log.ts";
import type { WakeSource } from "../lib/wake-source.ts";
import type { StoredEvent } from "../protocol/events.ts";
import type { MessageId } from "../protocol/ids.ts";
import type { EventReader, FollowLogOptions } from "./event-log.ts";
import { follow } from "./follow.ts";

/** How far a follower has read. */
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
  #schema: z.ZodType<StoredEvent> | undefined;

  constructor({ path, wakes }: { path: FilePath; wakes: WakeSource }) {
    this.#fileName = nameOf(path);
    this.#log = new PagedLog(path);
    this.#wakes = wakes;
  }

  async lastSeq(): Promise<number> {
    for await (const { seq } of this.newestFirst()) return seq;
    return 0;
  }

  /**
   * The kept events, newest first, read from the file as they are taken. With `text`, only those
   * whose line contains it: the others are not parsed.
   */
  async *newestFirst(text?: string): AsyncGenerator<StoredEvent> {
    for await (const { reader } of this.#log.newestFirst()) {
      for await (const line of reader.backwards()) {
        if (text !== undefined && !line.bytes.includes(text)) continue;
        const stored = await this.#parse(line);
        if (stored) yield stored;
      }
    }
  }

  /** As `EventLog.sentMessages`. */
  async sentMessages(ids: ReadonlySet<MessageId>, since: Date): Promise<Set<MessageId>> {
    const sent = new Set<MessageId>();
    const earliest = since.toISOString();
    for await (const { event } of this.newestFirst('"type":"message-sent"')) {
      if (event.type !== "message-sent") continue;
      if (ids.has(event.id)) sent.add(event.id);
      if (sent.size === ids.size || event.at < earliest) break;
    }
    return sent;
  }

  async *follow({ after = 0, signal }: FollowLogOptions): AsyncGenerator<StoredEvent> {
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
      // The file is read again, without the events that were seen.
      follower.after = follower.lastSeen;
    };
    for await (const line of this.#log.readOn(follower, restart)) {
      if (line.isCut || seqOf(line.bytes.toString()) <= follower.after) continue;
      const stored = await this.#parse(line);
      if (!stored) continue;
      follower.lastSeen = stored.seq;
      yield stored;
    }
  }

  /** The newest generation that begins no later than with event `seq`; 0 if all begin later. */
  async #generationWith(seq: number): Promise<number> {
    for await (const { generation, reader } of this.#log.newestFirst()) {
      const first = await this.#firstOf(reader.forwards());
      if (first && first.seq <= seq) return generation;
    }
    return 0;
  }

  async #firstOf(lines: AsyncIterable<FileLine>): Promise<StoredEvent | undefined> {
    for await (const line of lines) {
      const stored = await this.#parse(line);
      if (stored) return stored;
    }
    return undefined;
  }

  /** Undefined for a damaged line. */
  async #parse(line: FileLine): Promise<StoredEvent | undefined> {
    // Loaded for the first line: a new team has none.
    this.#schema ??= (await import("../protocol/events.ts")).StoredEvent;
    return parseLine(line, this.#schema, () => undefined);
  }
}

/** The number of an event without parsing its line, or NaN: most lines are only passed over. */
function seqOf(text: string): number {
  return Number(/"seq":(\d+)}$/.exec(text)?.[1]);
}
