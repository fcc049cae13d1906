import type { Signature } from "../keys/signature.ts";
import { listSegments, segmentPath } from "../lib/segments.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import { isSettled, type MailCursor, readCursor } from "./mail-cursor.ts";
import type { MailLayout } from "./mail-layout.ts";
import { decodeLine } from "./mail-line.ts";
import { type ScannedLine, scanLog } from "./mail-scanner.ts";
import { scanBytes } from "./mail-source.ts";
import type { MailRecord } from "./mailbox.ts";
import { readSideLog } from "./side-log.ts";

export interface HistoryOptions {
  layout: MailLayout;
  owner: MemberName;
  /** Without one, senders are shown as the lines claim. */
  signature: Signature | undefined;
}

/** What a mailbox holds, newest first, as far back as its segments go. Looks and never consumes. */
export async function* readRecords(options: HistoryOptions): AsyncGenerator<MailRecord> {
  const { layout } = options;
  const cursor = await readCursor(layout.cursor);
  const segments = await listSegments(layout.directory);
  const liveGeneration = Math.max((segments.at(-1) ?? 0) + 1, cursor?.generation ?? 1);
  const returned = new Set((await readSideLog(layout.returned)).map(({ id }) => id));
  const shown = new Set<MessageId>();

  const logs = segments.map((generation) => {
    return { generation, path: segmentPath(layout.directory, generation) };
  });
  logs.push({ generation: liveGeneration, path: layout.live });
  for (const log of logs.reverse()) {
    const records = await readLog({ ...options, ...log, cursor, returned });
    for (const record of records.reverse()) {
      const id = record.state === "set aside" ? record.id : record.message.id;
      // A line that its writer put into two logs is one message.
      if (!shown.has(id)) yield record;
      shown.add(id);
    }
  }
}

interface LogOptions extends HistoryOptions {
  generation: number;
  path: string;
  cursor: MailCursor | undefined;
  returned: ReadonlySet<MessageId>;
}

async function readLog(options: LogOptions): Promise<MailRecord[]> {
  const { path } = options;
  const records: MailRecord[] = [];
  for (let offset = 0; ; ) {
    const scan = await scanLog({ path, offset, isExpected: () => true, maxBytes: scanBytes });
    if (!scan || scan === "replaced" || scan.end === offset) return records;
    const { modified } = scan;
    for (const line of scan.lines) records.push(...recordsOf(line, { ...options, modified }));
    offset = scan.end;
  }
}

function recordsOf(line: ScannedLine, options: LogOptions & { modified: Date }): MailRecord[] {
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
