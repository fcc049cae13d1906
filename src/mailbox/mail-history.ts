import type { Signature } from "../keys/signature.ts";
import { type Line, LineReader } from "../lib/line-reader.ts";
import { listSegments, segmentPath } from "../lib/segments.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import { isSettled, type MailCursor, readCursor } from "./mail-cursor.ts";
import type { MailLayout } from "./mail-layout.ts";
import { decodeLine, maxLineBytes } from "./mail-line.ts";
import type { MailRecord } from "./mailbox.ts";
import { readSideIds } from "./side-log.ts";

export interface HistoryOptions {
  layout: MailLayout;
  owner: MemberName;
  /** Without one, senders are shown as the lines claim. */
  signature: Signature | undefined;
}

/** What a mailbox holds, newest first, as far back as its segments go. Looks and never consumes. */
export async function* readRecords(options: HistoryOptions): AsyncGenerator<MailRecord> {
  const { layout } = options;
  const shown = new Set<MessageId>();
  // The open log is the one that follows these segments, whatever is rotated from here on.
  const { live, segments } = await openLive(layout);
  await using reader = live;
  const cursor = await readCursor(layout.cursor);
  const returned = await readSideIds(layout.returned);
  const log = { ...options, cursor, returned, shown };

  const generation = Math.max((segments.at(-1) ?? 0) + 1, cursor?.generation ?? 1);
  if (reader) yield* readLog(reader, { ...log, generation });
  for (const segment of segments.reverse()) {
    const path = segmentPath(layout.directory, segment);
    await using past = await LineReader.open(path, { maxLineBytes });
    if (past) yield* readLog(past, { ...log, generation: segment });
  }
}

async function openLive({ live: path, directory }: MailLayout) {
  for (;;) {
    const segments = await listSegments(directory);
    const live = await LineReader.open(path, { maxLineBytes });
    const after = await listSegments(directory);
    if (after.at(-1) === segments.at(-1)) return { live, segments };
    await live?.[Symbol.asyncDispose]();
  }
}

interface LogOptions extends HistoryOptions {
  generation: number;
  cursor: MailCursor | undefined;
  returned: ReadonlySet<MessageId>;
  /** A line that its writer put into two logs is one message. */
  shown: Set<MessageId>;
}

async function* readLog(reader: LineReader, options: LogOptions): AsyncGenerator<MailRecord> {
  const { mtime: modified } = await reader.stat();
  for await (const line of reader.backwards()) {
    for (const record of recordsOf(line, { ...options, modified }).reverse()) {
      const id = record.state === "set aside" ? record.id : record.message.id;
      if (options.shown.has(id)) continue;
      options.shown.add(id);
      yield record;
    }
  }
}

function recordsOf(line: Line, options: LogOptions & { modified: Date }): MailRecord[] {
  const { generation, cursor, returned } = options;
  const position = { generation, offset: line.end };
  const state = isSettled(cursor, position) ? "delivered" : "queued";
  return decodeLine(line, options).map((part): MailRecord => {
    if (part.type === "set-aside") {
      const { id, reason, text } = part;
      return { state: "set aside", id, reason, text, position };
    }
    const { message } = part;
    return { state: returned.has(message.id) ? "undelivered" : state, message, position };
  });
}
