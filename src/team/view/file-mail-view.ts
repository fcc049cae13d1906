import {
  idOf,
  type MailHistoryOptions,
  type MailPlace,
  type PlacedRecord,
  readPlacedRecords,
} from "../../mailbox/mail-history.ts";
import type { MessageId } from "../../protocol/ids.ts";
import type { ListedMail, MailPage, MailQuery, PageCursor } from "./team-view.ts";

/** A member's mail in its files, which other processes read and write. Changes nothing. */
export type FileMail = Pick<MailHistoryOptions, "layout" | "owner" | "signature">;

export async function mailPage(mail: FileMail, { from, limit }: MailQuery): Promise<MailPage> {
  const records: ListedMail[] = [];
  const start = from === undefined ? undefined : placeAt(from);
  for await (const placed of readPlacedRecords({ ...mail, from: start })) {
    if (records.length >= limit) return { records, next: cursorOf(placed.place) };
    records.push(listed(placed));
  }
  return { records, next: null };
}

export async function findMail(mail: FileMail, id: MessageId): Promise<ListedMail | undefined> {
  const [, generation, offset] = /^hand-(\d+)-(\d+)$/.exec(id) ?? [];
  const search = generation === undefined ? { having: id } : { from: endOf(Number(generation)) };
  for await (const placed of readPlacedRecords({ ...mail, ...search })) {
    if (idOf(placed.record) === id) return listed(placed);
    if (offset !== undefined && placed.place.lineEnd <= Number(offset)) break;
  }
  return undefined;
}

function listed({ place, record }: PlacedRecord): ListedMail {
  const cursor = cursorOf(place);
  if (record.state !== "set aside") {
    return { cursor, state: record.state, message: record.message };
  }
  const { state, id, reason, text } = record;
  return { cursor, state, id, reason, text };
}

function cursorOf({ generation, lineEnd, newer }: MailPlace): PageCursor {
  return newer === 0 ? `${generation}-${lineEnd}` : `${generation}-${lineEnd}-${newer}`;
}

/** An invalid cursor is before everything, so that nothing is found there. */
function placeAt(cursor: PageCursor): MailPlace {
  const [, generation = 0, lineEnd = 0, newer = 0] =
    /^(\d{1,10})-(\d{1,15})(?:-(\d{1,10}))?$/.exec(cursor) ?? [];
  return { generation: Number(generation), lineEnd: Number(lineEnd), newer: Number(newer) };
}

function endOf(generation: number): MailPlace {
  return { generation, lineEnd: Number.POSITIVE_INFINITY, newer: 0 };
}
