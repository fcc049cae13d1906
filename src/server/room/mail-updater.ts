import { mapInBatches } from "../../lib/batches.ts";
import type { Clock } from "../../lib/clock.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import { hasEnded, memberNames } from "../../team/find-member.ts";
import { mailNewestFirst } from "../../team/view/read-pages.ts";
import type { Cursor, ListedMail, TeamView } from "../../team/view/team-view.ts";
import { MailMerge, type OwnedMail } from "./mail-merge.ts";
import { seenTimes } from "./message-pages.ts";
import { idOf, messageView } from "./message-view.ts";
import { windowSize } from "./message-window.ts";
import { Paced } from "./paced.ts";
import type { RoomRecords } from "./records.ts";
import { SeenTimes } from "./seen-times.ts";

export interface MailUpdaterOptions {
  records: RoomRecords;
  clock: Clock;
  /** Told what a look has failed with. It is tried again. */
  onFailure(error: unknown): void;
  /** Told whose unread mail may be another number. */
  onMailOf(owner: MemberName): void;
}

const [readPaceMs, seenPaceMs] = [50, 500];

/** Keeps the room's messages up to date, from the mailboxes themselves: not all mail has an event. */
export class MailUpdater implements AsyncDisposable {
  readonly #view: TeamView;
  readonly #options: MailUpdaterOptions;
  readonly #records: RoomRecords;
  #team: TeamRecord;
  readonly #unread = new Map<MemberName, number>();
  /** Of each mailbox, the newest that was read. */
  readonly #newest = new Map<MemberName, Cursor>();
  readonly #seen = new SeenTimes();
  /** What lies in a mailbox and may still be delivered or come back. */
  readonly #waiting = new Map<MessageId, OwnedMail>();
  /** What was delivered, nobody knows when. */
  #undated: OwnedMail[] = [];
  /** What was delivered without having been shown. */
  readonly #missing = new Map<MessageId, MemberName>();
  /** Whose mailboxes are to be read; for those with `true`, what waits there, too. */
  readonly #woken = new Map<MemberName, boolean>();
  readonly #reading: Paced;
  readonly #dating: Paced;

  constructor(view: TeamView, team: TeamRecord, options: MailUpdaterOptions) {
    this.#view = view;
    this.#team = team;
    this.#options = options;
    this.#records = options.records;
    const { clock, onFailure } = options;
    this.#reading = new Paced({
      ...{ clock, onFailure, paceMs: readPaceMs },
      work: () => this.#readWoken(),
    });
    this.#dating = new Paced({
      ...{ clock, onFailure, paceMs: seenPaceMs },
      work: () => this.#findSeen(),
    });
  }

  unreadOf(owner: MemberName): number {
    return this.#unread.get(owner) ?? 0;
  }

  /** Shows the newest mail there is. */
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

  /** What takes longer: how much is unread, and when the rest was seen. */
  async complete(): Promise<void> {
    await mapInBatches(memberNames(this.#team), (owner) => this.#countUnread(owner));
    this.#dating.want();
  }

  setTeam(team: TeamRecord): void {
    const known = new Set(memberNames(this.#team));
    this.#team = team;
    for (const owner of memberNames(team)) if (!known.has(owner)) this.wake(owner);
    for (const { owner } of this.#waiting.values()) {
      if (hasEnded(team, owner)) this.wakeRead(owner);
    }
  }

  /** There may be something new in a mailbox. */
  wake(owner: MemberName): void {
    this.#woken.set(owner, this.#woken.get(owner) ?? false);
    this.#reading.want();
  }

  /** Its owner may have got further. */
  wakeRead(owner: MemberName): void {
    this.#woken.set(owner, true);
    this.#reading.want();
  }

  isDelivered(id: MessageId, at: string): void {
    this.#seen.set(id, at);
    const mail = this.#waiting.get(id);
    if (!mail || mail.record.state === "set aside") return;
    this.#waiting.delete(id);
    this.#show({ ...mail, record: { ...mail.record, state: "delivered" } });
  }

  /** What was delivered is shown, though it may not be among the newest of its mailbox. */
  requireShown(id: MessageId, owner: MemberName): void {
    if (this.#records.message(id)) return;
    this.#missing.set(id, owner);
    this.wake(owner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading[Symbol.asyncDispose]();
    await this.#dating[Symbol.asyncDispose]();
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
    let newest: Cursor | undefined;
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
      const record = this.#records.message(id) ? undefined : await this.#view.message(owner, id);
      if (record) this.#show({ owner, record });
    }
  }

  async #countUnread(owner: MemberName): Promise<void> {
    this.#unread.set(owner, await this.#view.unread(owner));
    this.#options.onMailOf(owner);
  }

  #waitingFor(owner: MemberName): Set<MessageId> {
    const mail = [...this.#waiting].filter(([, each]) => each.owner === owner);
    return new Set(mail.map(([id]) => id));
  }

  #show(mail: OwnedMail): void {
    const { owner, record } = mail;
    if (record.state === "set aside") {
      this.#records.addProblem(`A line in the mailbox of ${owner} ${record.reason}.`);
      this.#records.setMessage(messageView(record, { owner, seenAt: null }));
      return;
    }
    const seenAt = this.#seen.get(record.message.id) ?? null;
    const known: ListedMail = seenAt === null ? record : { ...record, state: "delivered" };
    this.#wait(record.message.id, { owner, record: known });
    if (known.state === "delivered" && seenAt === null) this.#date(mail);
    this.#records.setMessage(messageView(known, { owner, seenAt }));
  }

  #wait(id: MessageId, mail: OwnedMail): void {
    if (mail.record.state !== "queued") {
      this.#waiting.delete(id);
      return;
    }
    this.#waiting.set(id, mail);
    if (this.#waiting.size <= 2 * windowSize) return;
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined) this.#waiting.delete(oldest);
  }

  #date(mail: OwnedMail): void {
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
      this.#seen.set(record.message.id, seenAt);
      this.#records.setMessage(messageView({ ...record, state: "delivered" }, { owner, seenAt }));
    }
  }
}
