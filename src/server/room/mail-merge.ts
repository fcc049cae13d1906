import { mapInBatches } from "../../lib/batches.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Cursor, ListedMail, TeamView } from "../../team/view/team-view.ts";

/** A record and whose mailbox it is in. */
export interface OwnedMail {
  owner: MemberName;
  record: ListedMail;
}

export interface MailMergeOptions {
  view: Pick<TeamView, "mail">;
  owners: readonly MemberName[];
  /** Where to go on in each mailbox, and null for one that is read to its start; default: from the newest. */
  from?: ReadonlyMap<MemberName, Cursor | null> | undefined;
  /** About how many records are wanted. */
  wanted: number;
}

/** How many records of a mailbox are read at once, at least and at most. */
const [minRecords, maxRecords] = [4, 64];

/** The mail of several mailboxes as one, newest first. Reading can go on later from its places. */
export class MailMerge {
  readonly #view: Pick<TeamView, "mail">;
  readonly #limit: number;
  readonly #feeds: MailboxFeed[];
  #isBegun = false;

  constructor({ view, owners, from, wanted }: MailMergeOptions) {
    this.#view = view;
    const portion = Math.ceil((2 * wanted) / Math.max(1, owners.length));
    this.#limit = Math.min(maxRecords, Math.max(minRecords, portion));
    this.#feeds = owners.map((owner) => ({ owner, records: [], next: from?.get(owner) }));
  }

  /** The newest record that was not given yet; undefined when there is none. */
  async next(): Promise<OwnedMail | undefined> {
    if (!this.#isBegun) await mapInBatches(this.#feeds, (feed) => this.#fill(feed));
    this.#isBegun = true;
    let newest: MailboxFeed | undefined;
    for (const feed of this.#feeds) {
      if (feed.records.length > 0 && (!newest || timeOf(feed) > timeOf(newest))) newest = feed;
    }
    const record = newest?.records.shift();
    if (!newest || !record) return undefined;
    await this.#fill(newest);
    return { owner: newest.owner, record };
  }

  /** Where to go on in each mailbox; undefined when nothing is left in any. */
  places(): Map<MemberName, Cursor | null> | undefined {
    const places = this.#feeds.map(({ owner, records, next }): [MemberName, Cursor | null] => {
      // Mail that comes later is newer than these places, and is not for a reader who goes on from here.
      return [owner, records[0]?.cursor ?? next ?? null];
    });
    return places.some(([, place]) => place !== null) ? new Map(places) : undefined;
  }

  async #fill(feed: MailboxFeed): Promise<void> {
    if (feed.next === null || feed.records.length > 0) return;
    const page = await this.#view.mail(feed.owner, { from: feed.next, limit: this.#limit });
    feed.records = page.records;
    feed.next = page.next;
  }
}

interface MailboxFeed {
  owner: MemberName;
  /** What was read and not given yet. */
  records: ListedMail[];
  /** Where to read on; undefined for the newest, null where nothing is left. */
  next: Cursor | null | undefined;
}

/** The time of the record that comes next. One without any comes as soon as it can. */
function timeOf({ records: [record] }: MailboxFeed): number {
  return record && record.state !== "set aside"
    ? record.message.timestamp
    : Number.POSITIVE_INFINITY;
}
