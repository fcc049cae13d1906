import type { Signature } from "../keys/signature.ts";
import { type Line, LineReader } from "../lib/line-reader.ts";
import type { MarkedLog } from "../lib/log-head.ts";
import { listSegments, segmentPath } from "../lib/segments.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { Position } from "../protocol/message.ts";
import { isSettled, type MailCursor, readCursor } from "./mail-cursor.ts";
import type { MailLayout } from "./mail-layout.ts";
import { type DecodedPart, decodeLine, maxLineBytes } from "./mail-line.ts";
import type { MailRecord } from "./mailbox.ts";
import { readSideIds } from "./side-log.ts";

export interface HistoryOptions {
  layout: MailLayout;
  owner: MemberName;
  /** Without one, senders are shown as the lines claim. */
  signature: Signature | undefined;
  /** Only what lies before this place, where a line begins. */
  before?: Position | undefined;
  /** Only lines that have this text: the others are passed over without being read closely. */
  having?: string | undefined;
}

/** What one line of a mailbox holds: a torn write can glue several records into one. */
export interface MailLine {
  /** Where the line begins. */
  start: Position;
  /** Newest first. */
  records: MailRecord[];
}

/** What a mailbox holds, newest first, as far back as its segments go. Looks and never consumes. */
export async function* readRecords(options: HistoryOptions): AsyncGenerator<MailRecord> {
  for await (const { records } of readMailLines(options)) yield* records;
}

/** As `readRecords`, with the places from which an earlier part can be read another time. */
export async function* readMailLines(options: HistoryOptions): AsyncGenerator<MailLine> {
  const { layout, before } = options;
  const shown = new Set<MessageId>();
  // The open log is the one that follows these segments, whatever is rotated from here on.
  const { live, segments } = await openLive(layout);
  await using reader = live;
  const cursor = await readCursor(layout.cursor);
  const returned = await readSideIds(layout.returned);
  const log = { ...options, cursor, returned, shown };

  const generation = liveGeneration(segments, cursor);
  if (reader && isWanted(generation, before)) yield* readLog(reader, { ...log, generation });
  for (const segment of segments.reverse()) {
    if (!isWanted(segment, before)) continue;
    const path = segmentPath(layout.directory, segment);
    await using past = await LineReader.open(path, { maxLineBytes });
    if (past) yield* readLog(past, { ...log, generation: segment });
  }
}

function isWanted(generation: number, before: Position | undefined): boolean {
  return before === undefined || generation <= before.generation;
}

/** The number of the live log: one above the newest segment, and never below what was read of it. */
export function liveGeneration(
  segments: readonly number[],
  cursor: Pick<MailCursor, "generation"> | undefined,
): number {
  return Math.max((segments.at(-1) ?? 0) + 1, cursor?.generation ?? 1);
}

/** The live log and the segments that it follows. */
export async function openLive({ live: path, directory }: MailLayout) {
  for (;;) {
    const segments = await listSegments(directory);
    const live = await LineReader.open(path, { maxLineBytes });
    const after = await listSegments(directory);
    if (after.at(-1) === segments.at(-1)) return { live, segments };
    await live?.[Symbol.asyncDispose]();
  }
}

/** The live log, as far as it has come; undefined where there is none. */
export async function lookAtLive(layout: MailLayout): Promise<MarkedLog | undefined> {
  const { live, segments } = await openLive(layout);
  await using reader = live;
  if (!reader) return undefined;
  const generation = liveGeneration(segments, await readCursor(layout.cursor));
  return { generation, path: layout.live, bytes: Number((await reader.stat()).size) };
}

interface LogOptions extends HistoryOptions {
  generation: number;
  cursor: MailCursor | undefined;
  returned: ReadonlySet<MessageId>;
  /** A line that its writer put into two logs is one message. */
  shown: Set<MessageId>;
}

async function* readLog(reader: LineReader, options: LogOptions): AsyncGenerator<MailLine> {
  const { mtime: modified } = await reader.stat();
  const { generation, before, having, shown } = options;
  const to = before?.generation === generation ? before.offset : undefined;
  for await (const line of reader.backwards(to)) {
    if (having !== undefined && !line.bytes.includes(having)) continue;
    const records: MailRecord[] = [];
    for (const record of recordsOf(line, { ...options, modified }).reverse()) {
      const id = idOf(record);
      if (shown.has(id)) continue;
      shown.add(id);
      records.push(record);
    }
    if (records.length > 0) yield { start: { generation, offset: line.offset }, records };
  }
}

export function idOf(record: MailRecord): MessageId {
  return record.state === "set aside" ? record.id : record.message.id;
}

function recordsOf(line: Line, options: LogOptions & { modified: Date }): MailRecord[] {
  const { generation, cursor, returned } = options;
  const position = { generation, offset: line.end };
  const state = isSettled(cursor, position) ? "delivered" : "queued";
  return decodeLine(line, options).map((part) =>
    toRecord(part, position, (id) => (returned.has(id) ? "undelivered" : state)),
  );
}

/** A part of a line as a record of the mailbox. */
export function toRecord(
  part: DecodedPart,
  position: Position,
  stateOf: (id: MessageId) => "queued" | "delivered" | "undelivered",
): MailRecord {
  if (part.type === "set-aside") {
    const { id, reason, text } = part;
    return { state: "set aside", id, reason, text, position };
  }
  const { message } = part;
  return { state: stateOf(message.id), message, position };
}
