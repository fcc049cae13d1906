import { mapInBatches } from "../../lib/batches.ts";
import type { Clock } from "../../lib/clock.ts";
import { dropOldest } from "../../lib/drop-oldest.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import { hasEnded, memberNames } from "../../team/find-member.ts";
import { mailNewestFirst } from "../../team/view/read-pages.ts";
import type { ListedMail, PageCursor, TeamView } from "../../team/view/team-view.ts";
import { MailMerge, type OwnedMail } from "./mail-merge.ts";
import { seenTimes } from "./message-pages.ts";
import { idOf, messageView } from "./message-view.ts";
import { windowSize } from "./message-window.ts";
import { PacedWork } from "./paced-work.ts";
import type { RoomRecords } from "./records.ts";

export interface MailUpdaterOptions {
  records: RoomRecords;
  clock: Clock;
  /** Called with the error of a failed update, which is tried again. */
  onFailure(error: unknown): void;
  /** Called with a member whose number of unread messages may have changed. */
  onUnread(owner: MemberName): void;
}

const [readPaceMs, seenPaceMs] = [50, 500];
const maxSeenTimes = 10_000;

/** Keeps the room's messages up to date, also those that nobody has read, and so have no event. */
export class MailUpdater implements AsyncDisposable {
  readonly #view: TeamView;
  readonly #options: MailUpdaterOptions;
  readonly #records: RoomRecords;
  #team: TeamRecord;
  readonly #unread = new Map<MemberName, number>();
  /** The newest record that was read of each mailbox. */
  readonly #newest = new Map<MemberName, PageCursor>();
  /** When the newest messages were seen. */
  readonly #seen = new Map<MessageId, string>();
  /** Messages in a mailbox that may still be delivered or returned. */
  readonly #waiting = new Map<MessageId, OwnedMail>();
  /** Messages that were delivered at an unknown time. */
  #undated: OwnedMail[] = [];
  /** Messages that the team has read and that were not shown yet. */
  readonly #missing = new Map<MessageId, MemberName>();
  /** The owners whose mailboxes must be read; with `true`, waiting messages are read again, too. */
  readonly #woken = new Map<MemberName, boolean>();
  readonly #reading: PacedWork;
  readonly #dating: PacedWork;

  constructor(view: TeamView, team: TeamRecord, options: MailUpdaterOptions) {
    this.#view = view;
    this.#team = team;
    this.#options = options;
    this.#records = options.records;
    this.#reading = this.#paced(readPaceMs, () => this.#readWoken());
    this.#dating = this.#paced(seenPaceMs, () => this.#findSeen());
  }

  unreadOf(owner: MemberName): number {
    return this.#unread.get(owner) ?? 0;
  }

  /** Shows the newest mail. */
  async open(): Promise<void> {
    const owners = memberNames(this.#team);
    const merge = new MailMerge({ view: this.#view, owners, wanted: windowSize });
    for (let shown = 0; shown < windowSize; shown++) {
      const next = await merge.next();
      if (!next) break;
      if (!this.#newest.has(next.owner)) this.#newest.set(next.owner, next.record.cursor);
      this.#show(next);
    }
  }

  /** The slower part: the number of unread messages, and when the rest was seen. */
  async complete(): Promise<void> {
    await mapInBatches(memberNames(this.#team), (owner) => this.#countUnread(owner));
    this.#dating.want();
  }

  setTeam(team: TeamRecord): void {
    const known = new Set(memberNames(this.#team));
    this.#team = team;
    for (const owner of memberNames(team)) if (!known.has(owner)) this.wake(owner);
    for (const { owner } of this.#waiting.values()) {
      if (hasEnded(team, owner)) this.wake(owner, { isProgress: true });
    }
  }

  /** Reads a mailbox again soon; with `isProgress`, its owner may have read messages. */
  wake(owner: MemberName, { isProgress = false } = {}): void {
    this.#woken.set(owner, isProgress || (this.#woken.get(owner) ?? false));
    this.#reading.want();
  }

  /** Shows a message that the team has read, also where it is not among the newest of its mailbox. */
  requireShown(id: MessageId, owner: MemberName): void {
    if (this.#records.messages.get(id)) return;
    this.#missing.set(id, owner);
    this.wake(owner);
  }

  setDelivered(id: MessageId, at: string): void {
    this.#setSeen(id, at);
    const mail = this.#waiting.get(id);
    if (!mail || mail.record.state === "set aside") return;
    this.#show({ ...mail, record: { ...mail.record, state: "delivered" } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading[Symbol.asyncDispose]();
    await this.#dating[Symbol.asyncDispose]();
  }

  #paced(paceMs: number, work: () => Promise<void>): PacedWork {
    const { clock, onFailure } = this.#options;
    return new PacedWork({ clock, onFailure, paceMs, work });
  }

  async #readWoken(): Promise<void> {
    const woken = [...this.#woken];
    this.#woken.clear();
    await mapInBatches(woken, async ([owner, isProgress]) => {
      await this.#readNew(owner, isProgress ? this.#waitingFor(owner) : new Set());
      await this.#readMissing(owner);
      await this.#countUnread(owner);
    });
  }

  /** Shows what is new in a mailbox, and `again` what is known already. */
  async #readNew(owner: MemberName, again: Set<MessageId>): Promise<void> {
    const known = this.#newest.get(owner);
    let isKnown = false;
    let newest: PageCursor | undefined;
    let read = 0;
    for await (const record of mailNewestFirst(this.#view, owner)) {
      newest ??= record.cursor;
      isKnown ||= record.cursor === known;
      if (again.delete(idOf(record)) || !isKnown) this.#show({ owner, record });
      read += 1;
      if ((isKnown && again.size === 0) || read >= windowSize) break;
    }
    if (newest !== undefined) this.#newest.set(owner, newest);
  }

  async #readMissing(owner: MemberName): Promise<void> {
    for (const [id, recipient] of [...this.#missing]) {
      if (recipient !== owner) continue;
      this.#missing.delete(id);
      const isShown = this.#records.messages.get(id) !== undefined;
      const record = isShown ? undefined : await this.#view.message(owner, id);
      if (record) this.#show({ owner, record });
    }
  }

  async #countUnread(owner: MemberName): Promise<void> {
    this.#unread.set(owner, await this.#view.unread(owner));
    this.#options.onUnread(owner);
  }

  #waitingFor(owner: MemberName): Set<MessageId> {
    const mail = [...this.#waiting].filter(([, each]) => each.owner === owner);
    return new Set(mail.map(([id]) => id));
  }

  #show(mail: OwnedMail): void {
    const { owner, record } = mail;
    const id = idOf(record);
    const seenAt = this.#seen.get(id) ?? null;
    const isSeen = record.state !== "set aside" && seenAt !== null;
    const known: ListedMail = isSeen ? { ...record, state: "delivered" } : record;
    this.#waiting.delete(id);
    if (known.state === "queued") this.#waiting.set(id, { owner, record: known });
    dropOldest(this.#waiting, 2 * windowSize);
    if (known.state === "delivered" && seenAt === null) this.#findSeenLater(mail);
    if (known.state === "set aside") {
      this.#records.addProblem(`A line in the mailbox of ${owner} ${known.reason}.`);
    }
    this.#setMessage(known, { owner, seenAt });
  }

  #setMessage(record: ListedMail, options: { owner: MemberName; seenAt: string | null }): void {
    this.#records.set(this.#records.messages, messageView(record, options));
  }

  #setSeen(id: MessageId, at: string): void {
    this.#seen.set(id, at);
    dropOldest(this.#seen, maxSeenTimes);
  }

  #findSeenLater(mail: OwnedMail): void {
    this.#undated.push(mail);
    if (this.#undated.length > 2 * windowSize) this.#undated.shift();
    this.#dating.want();
  }

  async #findSeen(): Promise<void> {
    const undated = this.#undated;
    this.#undated = [];
    const times = await seenTimes(this.#view, undated);
    for (const { owner, record } of undated) {
      const seenAt = times.get(idOf(record));
      if (seenAt === undefined || record.state === "set aside") continue;
      this.#setSeen(record.message.id, seenAt);
      this.#setMessage({ ...record, state: "delivered" }, { owner, seenAt });
    }
  }
}
