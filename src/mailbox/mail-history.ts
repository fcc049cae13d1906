import type { Signature } from "../keys/signature.ts";
import type { LineReader } from "../lib/line-reader.ts";
import type { MarkedLog } from "../lib/log-head.ts";
import { PagedLog } from "../lib/paged-log.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { MailPosition } from "../protocol/message.ts";
import { isSettled, type MailCursor, readCursor } from "./mail-cursor.ts";
import type { MailLayout } from "./mail-layout.ts";
import { type DecodedPart, decodeLine, maxLineBytes } from "./mail-line.ts";
import type { MailRecord } from "./mailbox.ts";
import { readSideFates, type SideFate } from "./side-log.ts";

/** A place in a mailbox: a record, by the end of its line and how many newer ones the line has. */
export interface MailPlace {
  generation: number;
  lineEnd: number;
  /** Not 0 only if a torn write has joined several records into one line. */
  newer: number;
}

export interface MailHistoryOptions {
  layout: MailLayout;
  owner: MemberName;
  /** Without a signature, senders are shown as the lines claim. */
  signature: Signature | undefined;
  /** The record to begin with; default: the newest. */
  from?: MailPlace | undefined;
  /** Only lines that contain this text: the others are skipped without being parsed. */
  having?: string | undefined;
}

/** A record, and the place from which it can be read again. */
export interface PlacedRecord {
  place: MailPlace;
  record: MailRecord;
}

/**
 * The records of a mailbox, newest first, as far back as its segments go. Reading consumes nothing.
 */
export async function* readRecords(options: MailHistoryOptions): AsyncGenerator<MailRecord> {
  for await (const { record } of readPlacedRecords(options)) yield record;
}

/** Like `readRecords`, with the places from which to continue another time. */
export async function* readPlacedRecords(
  options: MailHistoryOptions,
): AsyncGenerator<PlacedRecord> {
  const { layout, from } = options;
  const cursor = await readCursor(layout.cursor);
  const returned = await readSideFates(layout.returned);
  const shown = new Set<MessageId>();
  for await (const { generation, reader } of mailLog(layout).newestFirst(cursor?.generation)) {
    if (from && generation > from.generation) continue;
    yield* readLog(reader, { ...options, cursor, returned, generation, shown });
  }
}

export function mailLog({ live, directory }: MailLayout): PagedLog {
  return new PagedLog(live, { directory, maxLineBytes });
}

/** The live log and its length; undefined where it is missing. */
export async function lookAtLive(layout: MailLayout): Promise<MarkedLog | undefined> {
  const cursor = await readCursor(layout.cursor);
  for await (const file of mailLog(layout).newestFirst(cursor?.generation)) {
    const { generation, reader, isLive } = file;
    if (!isLive) return undefined;
    return { generation, path: layout.live, bytes: Number((await reader.stat()).size) };
  }
  return undefined;
}

interface LogOptions extends MailHistoryOptions {
  generation: number;
  cursor: MailCursor | undefined;
  returned: ReadonlyMap<MessageId, SideFate>;
  /** The ids that were shown: a line that its writer put into two logs is one message. */
  shown: Set<MessageId>;
}

async function* readLog(reader: LineReader, options: LogOptions): AsyncGenerator<PlacedRecord> {
  const { mtime: modified } = await reader.stat();
  const { generation, from, having, shown } = options;
  const first = from?.generation === generation ? from : undefined;
  for await (const line of reader.backwards(first?.lineEnd)) {
    if (having !== undefined && !line.bytes.includes(having)) continue;
    const parts = decodeLine(line, { ...options, modified }).reverse();
    for (const [newer, part] of parts.entries()) {
      if (first?.lineEnd === line.end && newer < first.newer) continue;
      const record = toRecord(part, { generation, offset: line.end }, options);
      const id = idOf(record);
      if (shown.has(id)) continue;
      shown.add(id);
      yield { place: { generation, lineEnd: line.end, newer }, record };
    }
  }
}

function toRecord(
  part: DecodedPart,
  position: MailPosition,
  { cursor, returned }: LogOptions,
): MailRecord {
  if (part.type === "set-aside") {
    const { id, reason, text } = part;
    return { state: "set aside", id, reason, text, position };
  }
  const { message } = part;
  const state = isSettled(cursor, position) ? "delivered" : "queued";
  return { state: returned.get(message.id) ?? state, message, position };
}

export function idOf(record: MailRecord): MessageId {
  return record.state === "set aside" ? record.id : record.message.id;
}
