import type { Signature } from "../../keys/signature.ts";
import type { FilePath } from "../../lib/file-path.ts";
import {
  idOf,
  type MailPlace,
  type PlacedRecord,
  readPlacedRecords,
} from "../../mailbox/mail-history.ts";
import { mailLayout } from "../../mailbox/mail-layout.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { Cursor, ListedMail, MailPage, MailQuery } from "./team-view.ts";

export interface FileMailViewOptions {
  inbox: FilePath;
  owner: MemberName;
  /** Without one, senders are shown as the lines claim. */
  signature: Signature | undefined;
}

/** A member's mail in its files, which other processes read and write. Changes nothing. */
export class FileMailView {
  readonly #options: FileMailViewOptions & { layout: ReturnType<typeof mailLayout> };

  constructor(options: FileMailViewOptions) {
    this.#options = { ...options, layout: mailLayout(options.inbox, options.owner) };
  }

  async page({ from, limit }: MailQuery): Promise<MailPage> {
    const records: ListedMail[] = [];
    const start = from === undefined ? undefined : placeAt(from);
    for await (const placed of readPlacedRecords({ ...this.#options, from: start })) {
      if (records.length >= limit) return { records, next: cursorOf(placed.place) };
      records.push(listed(placed));
    }
    return { records, next: null };
  }

  async find(id: MessageId): Promise<ListedMail | undefined> {
    const [, generation, offset] = /^hand-(\d+)-(\d+)$/.exec(id) ?? [];
    const search = generation === undefined ? { having: id } : { from: endOf(Number(generation)) };
    for await (const placed of readPlacedRecords({ ...this.#options, ...search })) {
      if (idOf(placed.record) === id) return listed(placed);
      if (offset !== undefined && placed.place.lineEnd <= Number(offset)) break;
    }
    return undefined;
  }
}

function listed({ place, record }: PlacedRecord): ListedMail {
  const cursor = cursorOf(place);
  if (record.state !== "set aside") {
    return { cursor, state: record.state, message: record.message };
  }
  const { state, id, reason, text } = record;
  return { cursor, state, id, reason, text };
}

function cursorOf({ generation, lineEnd, newer }: MailPlace): Cursor {
  return newer === 0 ? `${generation}-${lineEnd}` : `${generation}-${lineEnd}-${newer}`;
}

/** What is no place is before everything, so that nothing is found there. */
function placeAt(cursor: Cursor): MailPlace {
  const [, generation = 0, lineEnd = 0, newer = 0] =
    /^(\d{1,10})-(\d{1,15})(?:-(\d{1,10}))?$/.exec(cursor) ?? [];
  return { generation: Number(generation), lineEnd: Number(lineEnd), newer: Number(newer) };
}

function endOf(generation: number): MailPlace {
  return { generation, lineEnd: Number.POSITIVE_INFINITY, newer: 0 };
}
