import { identityOf } from "../lib/appearance.ts";
import type { FilePath } from "../lib/file-path.ts";
import { parseLine } from "../lib/json-lines.ts";
import { type Line, LineReader } from "../lib/line-reader.ts";
import type { MessageId } from "../protocol/ids.ts";
import { Entry } from "../protocol/transcript.ts";
import { type FileTranscriptOptions, parseEntry } from "../transcript/file-transcript.ts";

/** One line of a transcript, and where it lies. */
export interface TranscriptLine {
  offset: number;
  /** Where the next one begins. */
  end: number;
  /** Undefined for a line that is none. */
  entry: Entry | undefined;
  /** What is wrong with such a line. */
  damage: string | undefined;
}

/** A message whose moment of being seen is wanted. */
export interface WantedDelivery {
  id: MessageId;
  /** No entry before this time can have it. */
  sentAt: Date;
}

/** A transcript as it was when it was opened, read from any place in either direction. */
export class TranscriptFile implements AsyncDisposable {
  /** Tells this file from whatever takes its place. */
  readonly id: string;
  readonly size: number;
  readonly #reader: LineReader;
  readonly #options: FileTranscriptOptions;

  private constructor(
    reader: LineReader,
    options: FileTranscriptOptions & { id: string; size: number },
  ) {
    this.#reader = reader;
    this.id = options.id;
    this.size = options.size;
    this.#options = options;
  }

  /** Undefined where there is no such file. */
  static async open(
    path: FilePath,
    options: FileTranscriptOptions,
  ): Promise<TranscriptFile | undefined> {
    const reader = await LineReader.open(path);
    if (!reader) return undefined;
    const stats = await reader.stat();
    const [id, size] = [identityOf(stats), Number(stats.size)];
    return new TranscriptFile(reader, { ...options, id, size });
  }

  /** The lines from the last to the first; with `to`, where a line must end, those before it. */
  async *backwards(to?: number): AsyncGenerator<TranscriptLine> {
    for await (const line of this.#reader.backwards(to)) yield* this.#parse(line);
  }

  /** The lines from byte `from` on, where a line must begin. */
  async *forwards(from: number): AsyncGenerator<TranscriptLine> {
    for await (const line of this.#reader.forwards(from)) yield* this.#parse(line);
  }

  /**
   * When each of `wanted` came into the transcript. Entries are in order of time, so that each is
   * looked for from the time of its sending on, in a bounded number of lines; what is not found
   * there stays unknown.
   */
  async deliveries(
    wanted: readonly WantedDelivery[],
    { linesEach = 500, linesInAll = 10_000 }: { linesEach?: number; linesInAll?: number } = {},
  ): Promise<Map<MessageId, string>> {
    const missing = new Set(wanted.map(({ id }) => id));
    const found = new Map<MessageId, string>();
    let budget = linesInAll;
    for (const { id, sentAt } of [...wanted].sort((a, b) => +a.sentAt - +b.sentAt)) {
      if (!missing.has(id) || budget <= 0) continue;
      let left = linesEach;
      for await (const line of this.#reader.forwards(await this.#seek(sentAt))) {
        for (const [seen, at] of deliveriesIn(line)) if (missing.delete(seen)) found.set(seen, at);
        budget -= 1;
        if (!missing.has(id) || left-- <= 0) break;
      }
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader[Symbol.asyncDispose]();
  }

  /** Where a line begins before which everything is earlier than `time`, and not much before. */
  async #seek(time: Date): Promise<number> {
    let [low, high] = [0, this.size];
    while (high - low > nearBytes) {
      const middle = Math.floor((low + high) / 2);
      const line = await this.#firstDatedAfter(middle);
      if (line && line.offset < high && line.at < time.getTime()) low = line.offset;
      else high = middle;
    }
    return low;
  }

  async #firstDatedAfter(place: number): Promise<{ offset: number; at: number } | undefined> {
    let isPart = true;
    for await (const line of this.#reader.forwards(place)) {
      const at = isPart ? Number.NaN : timeOf(line);
      isPart = false;
      if (!Number.isNaN(at)) return { offset: line.offset, at };
    }
    return undefined;
  }

  *#parse(line: Line): Generator<TranscriptLine> {
    if (line.bytes.length === 0) return;
    const { offset, end } = line;
    let damage: string | undefined;
    const entry = parseEntry(line, this.#options.chain, (found) => {
      damage = found.reason;
      this.#options.onDamage(found);
    });
    yield { offset, end, entry, damage };
  }
}

/** So much is read over rather than sought in. */
const nearBytes = 128 * 1024;

/** How an entry begins that troupe has written. */
const dated = /^\{"type":"[a-z-]+","at":"([^"]+)"/;

function timeOf({ bytes }: Line): number {
  const [, at = ""] = dated.exec(bytes.toString("latin1", 0, 100)) ?? [];
  return Date.parse(at);
}

/** The messages that came with one line. Most lines need no parsing to see that they have none. */
function deliveriesIn(line: Line): [MessageId, string][] {
  const { bytes } = line;
  const mayHave = bytes.indexOf('"delivery"') === 8 || bytes.includes('"mail":[');
  const entry = mayHave ? parseLine(line, Entry, () => {}) : undefined;
  if (entry?.type === "delivery") return [[entry.message.id, entry.at]];
  if (entry?.type !== "tool-result") return [];
  return (entry.mail ?? []).map(({ message }) => [message.id, entry.at]);
}
