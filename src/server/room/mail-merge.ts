import { mapInBatches } from "../../lib/batches.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { ListedMail, PageCursor, TeamView } from "../../team/view/team-view.ts";

/** A record, and the owner of its mailbox. */
export interface OwnedMail {
  owner: MemberName;
  record: ListedMail;
}

export interface MailMergeOptions {
  view: Pick<TeamView, "mail">;
  owners: readonly MemberName[];
  /**
   * Where to continue in each mailbox; null for one that is read to its start (default: from the
   * newest).
   */
  from?: ReadonlyMap<MemberName, PageCursor | null> | undefined;
  /** About how many records are wanted. */
  wanted: number;
}

/** How many records of a mailbox are read at once, at least and at most. */
const [minRecords, maxRecords] = [4, 64];

/**
 * The mail of several mailboxes as one, newest first. Reading can continue later from its places.
 */
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

  /** The newest record that was not returned yet; undefined if there is none. */
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

  /** Where to continue in each mailbox; undefined if nothing is left in any. */
  places(): Map<MemberName, PageCursor | null> | undefined {
    const places = this.#feeds.map(({ owner, records, next }): [MemberName, PageCursor | null] => {
      // Later mail is newer than these places, and so is not part of this reading.
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
  /** Records that were read but not returned yet. */
  records: ListedMail[];
  /** Where to continue; undefined for the newest, null if nothing is left. */
  next: PageCursor | null | undefined;
}

/** The time of the next record. One without a time comes first. */
function timeOf({ records: [record] }: MailboxFeed): number {
  return record && record.state !== "set aside"
    ? record.message.timestamp
    : Number.POSITIVE_INFINITY;
}
