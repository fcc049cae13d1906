import type { Signature } from "../keys/signature.ts";
import { appearanceOf, identityOf } from "../lib/appearance.ts";
import { type Line, LineReader } from "../lib/line-reader.ts";
import { segmentPath } from "../lib/segments.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import { isShown, type Position } from "../protocol/message.ts";
import { isSettled, type MailCursor, readCursor } from "./mail-cursor.ts";
import { liveGeneration, openLive, toRecord } from "./mail-history.ts";
import type { MailLayout } from "./mail-layout.ts";
import { decodeLine, maxLineBytes } from "./mail-line.ts";
import type { MailRecord } from "./mailbox.ts";
import { readSideIds } from "./side-log.ts";

export interface MailTailOptions {
  layout: MailLayout;
  owner: MemberName;
  /** Without one, senders are shown as the lines claim. */
  signature: Signature | undefined;
}

/**
 * What comes into a mailbox from now on, and how far its owner has got with it, for somebody who
 * only looks. Keeps no file open. One call at a time.
 */
export class MailTail {
  readonly #options: MailTailOptions;
  #position: Position = { generation: 1, offset: 0 };
  #file: string | undefined;
  /** How far the log before the live one was read: a sender that has it open may still add a line. */
  #late: Position | undefined;
  #cursor: MailCursor | undefined;
  #returned: ReadonlySet<MessageId> = new Set();
  #seen = "";
  /** Where the lines of the live log end that were read here and are not acknowledged. */
  #pending: number[] = [];

  private constructor(options: MailTailOptions) {
    this.#options = options;
  }

  /** Begins behind what is there. */
  static async open(options: MailTailOptions): Promise<MailTail> {
    const tail = new MailTail(options);
    await tail.refresh();
    const { live, segments } = await openLive(options.layout);
    await using reader = live;
    const rest = await reader?.unterminated();
    const stats = await reader?.stat();
    tail.#file = stats && identityOf(stats);
    tail.#position = {
      generation: liveGeneration(segments, tail.#cursor),
      offset: rest?.offset ?? Number(stats?.size ?? 0),
    };
    return tail;
  }

  /** Everything before this place was there when the tail was opened, or has been read. */
  get position(): Position {
    return this.#position;
  }

  /** How much waits to be seen by the member's model, once `countUnread` has resolved. */
  get unread(): number {
    return this.#pending.length;
  }

  stateOf(id: MessageId, position: Position): "queued" | "delivered" | "undelivered" {
    if (this.#returned.has(id)) return "undelivered";
    return isSettled(this.#cursor, position) ? "delivered" : "queued";
  }

  /** Counts what waited already when the tail was opened. */
  async countUnread(): Promise<void> {
    const { generation, offset } = this.#position;
    await using reader = await LineReader.open(this.#options.layout.live, { maxLineBytes });
    if (!reader || identityOf(await reader.stat()) !== this.#file) return;
    const from = this.#cursor?.generation === generation ? this.#cursor.offset : 0;
    const earlier: number[] = [];
    for await (const line of reader.forwards(from)) {
      if (line.end > offset) break;
      if (isForMember(line)) earlier.push(line.end);
    }
    this.#pending = [...earlier, ...this.#pending];
    this.#dropSettled();
  }

  /** Looks how far the owner has got. True when that is another place than before. */
  async refresh(): Promise<boolean> {
    const { cursor, returned } = this.#options.layout;
    const seen = `${await appearanceOf(cursor)} ${await appearanceOf(returned)}`;
    if (seen === this.#seen) return false;
    this.#seen = seen;
    this.#cursor = await readCursor(cursor);
    this.#returned = await readSideIds(returned);
    this.#dropSettled();
    return true;
  }

  /** What has come since, in order. */
  async readNew(): Promise<MailRecord[]> {
    const records = await this.#readLate();
    for (;;) {
      const { live, segments } = await openLive(this.#options.layout);
      await using reader = live;
      if (liveGeneration(segments, this.#cursor) === this.#position.generation) {
        if (reader) records.push(...(await this.#readLive(reader)));
        return records;
      }
      records.push(...(await this.#readSegment(segments)));
    }
  }

  async #readLive(reader: LineReader): Promise<MailRecord[]> {
    const stats = await reader.stat();
    const file = identityOf(stats);
    const isAnother = this.#file !== undefined && this.#file !== file;
    // Somebody has deleted or replaced it: it is read from its start, as its owner reads it.
    if (isAnother || stats.size < this.#position.offset)
      this.#moveTo({ ...this.#position, offset: 0 });
    this.#file = file;
    const { records, end } = await this.#read(reader, this.#position, (line) => {
      if (isForMember(line)) this.#pending.push(line.end);
    });
    this.#position = end;
    this.#dropSettled();
    return records;
  }

  /** The rest of the log that has become a segment since, and on to the one that follows it. */
  async #readSegment(segments: readonly number[]): Promise<MailRecord[]> {
    const { generation } = this.#position;
    const path = segmentPath(this.#options.layout.directory, generation);
    await using reader = await LineReader.open(path, { maxLineBytes });
    const read = reader && (await this.#read(reader, this.#position));
    this.#late = read?.end;
    const next = segments.find((segment) => segment > generation);
    this.#moveTo({ generation: next ?? liveGeneration(segments, this.#cursor), offset: 0 });
    return read?.records ?? [];
  }

  async #readLate(): Promise<MailRecord[]> {
    if (!this.#late) return [];
    const path = segmentPath(this.#options.layout.directory, this.#late.generation);
    await using reader = await LineReader.open(path, { maxLineBytes });
    if (!reader) return [];
    const { records, end } = await this.#read(reader, this.#late);
    this.#late = end;
    return records;
  }

  async #read(
    reader: LineReader,
    { generation, offset }: Position,
    onLine: (line: Line) => void = () => {},
  ): Promise<{ records: MailRecord[]; end: Position }> {
    const { mtime: modified } = await reader.stat();
    const records: MailRecord[] = [];
    let end: Position = { generation, offset };
    for await (const line of reader.forwards(offset)) {
      const position = { generation, offset: line.end };
      end = position;
      onLine(line);
      for (const part of decodeLine(line, { ...this.#options, generation, modified })) {
        records.push(toRecord(part, position, (id) => this.stateOf(id, position)));
      }
    }
    return { records, end };
  }

  #moveTo(position: Position): void {
    this.#position = position;
    this.#file = undefined;
    this.#pending = [];
  }

  #dropSettled(): void {
    const { generation } = this.#position;
    const first = this.#pending.findIndex((offset) => {
      return !isSettled(this.#cursor, { generation, offset });
    });
    this.#pending.splice(0, first === -1 ? this.#pending.length : first);
  }
}

/** False for what concerns the runtime alone. Troupe writes the type second, so a line's beginning tells it. */
function isForMember({ bytes }: Line): boolean {
  if (bytes.length === 0) return false;
  const [, type] = /^\{"id":"[^"]*","type":"(\w+)"/.exec(bytes.toString("utf8", 0, 120)) ?? [];
  return type === undefined || isShown({ type });
}
