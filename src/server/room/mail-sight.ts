import { mapInBatches } from "../../lib/batches.ts";
import type { MailTail } from "../../mailbox/mail-tail.ts";
import type { MailRecord } from "../../mailbox/mailbox.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { MailWatch } from "../../team/mail-watch.ts";
import type { TeamObserver } from "../../team/team-observer.ts";
import { MailMerge } from "./mail-merge.ts";
import { seenTimes, withEnd } from "./message-pages.ts";
import { messageView } from "./message-view.ts";
import { windowSize } from "./message-window.ts";
import { Paced } from "./paced.ts";
import type { RoomRecords } from "./records.ts";
import { SeenTimes } from "./seen-times.ts";
import type { SightOptions } from "./sight-options.ts";

interface Letter {
  owner: MemberName;
  record: MailRecord;
}

const [newMailPaceMs, seenPaceMs] = [50, 500];

/** The mail of a team as it comes, from the mailboxes themselves: not everything has an event. */
export class MailSight implements AsyncDisposable {
  readonly #options: SightOptions;
  readonly #records: RoomRecords;
  readonly #watch: MailWatch;
  readonly #tails = new Map<MemberName, MailTail>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #seen = new SeenTimes();
  /** What lies in a mailbox and may still be delivered or come back. */
  readonly #waiting = new Map<MessageId, Letter>();
  /** What was delivered, nobody knows when. */
  #undated: Letter[] = [];
  readonly #woken = new Set<MemberName>();
  readonly #reading: Paced;
  readonly #dating: Paced;
  #observer: TeamObserver;

  constructor(observer: TeamObserver, options: SightOptions) {
    this.#observer = observer;
    this.#options = options;
    this.#records = options.records;
    this.#watch = observer.watchMail();
    const { clock, onFailure } = options;
    this.#reading = new Paced({
      ...{ clock, onFailure, paceMs: newMailPaceMs },
      work: () => this.#readWoken(),
    });
    this.#dating = new Paced({
      ...{ clock, onFailure, paceMs: seenPaceMs },
      work: () => this.#findSeen(),
    });
  }

  unreadOf(owner: MemberName): number {
    return this.#tails.get(owner)?.unread ?? 0;
  }

  /** Shows the newest mail there is, and watches for more. */
  async open(): Promise<void> {
    const observer = this.#observer;
    const owners = observer.members();
    const tails = await mapInBatches(owners, (owner) => this.#openTail(owner));
    const from = new Map(tails.map((tail, index) => [owners[index] ?? observer.team.lead, tail]));
    const places = new Map([...from].map(([owner, { position }]) => [owner, position]));
    const merge = new MailMerge({ observer, owners, from: places, wanted: windowSize });
    for (let shown = 0; shown < windowSize; shown++) {
      const next = await merge.next();
      if (!next) break;
      for (const record of next.line.records) this.#show({ owner: next.owner, record });
    }
  }

  /** What takes longer: how much is unread, and when the rest was seen. */
  async complete(): Promise<void> {
    for (const [owner, tail] of this.#tails) {
      await tail.countUnread();
      this.#options.onMailOf(owner);
    }
    this.#dating.want();
  }

  async setTeam(observer: TeamObserver): Promise<void> {
    this.#observer = observer;
    for (const owner of observer.members()) {
      if (this.#tails.has(owner)) continue;
      await this.#openTail(owner, { isNew: true });
    }
    for (const letter of this.#waiting.values()) this.#show(letter);
  }

  /** There may be something new in a mailbox. */
  wake(owner: MemberName): void {
    if (!this.#tails.has(owner)) return;
    this.#woken.add(owner);
    this.#reading.want();
  }

  isDelivered(id: MessageId, at: string): void {
    this.#seen.set(id, at);
    const letter = this.#waiting.get(id);
    if (!letter || letter.record.state === "set aside") return;
    this.#waiting.delete(id);
    this.#show({ ...letter, record: { ...letter.record, state: "delivered" } });
  }

  /** Looks how far those have got for whom mail waits: an event may have been lost. */
  async refresh(): Promise<void> {
    const owners = new Set([...this.#waiting.values()].map(({ owner }) => owner));
    for (const [owner, { unread }] of this.#tails) if (unread > 0) owners.add(owner);
    await mapInBatches([...owners], async (owner) => {
      const tail = this.#tails.get(owner);
      if (!tail || !(await tail.refresh())) return;
      this.#options.onMailOf(owner);
      for (const letter of [...this.#waiting.values()]) {
        if (letter.owner === owner) this.#settle(letter, tail);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#watch[Symbol.dispose]();
    await this.#reading[Symbol.asyncDispose]();
    await this.#dating[Symbol.asyncDispose]();
  }

  async #openTail(owner: MemberName, { isNew = false } = {}): Promise<MailTail> {
    this.#unsubscribe.push(this.#watch.subscribe(owner, () => this.wake(owner)));
    const tail = await this.#observer.mailTail(owner);
    this.#tails.set(owner, tail);
    if (!isNew) return tail;
    await tail.countUnread();
    let left = windowSize;
    for await (const { records } of this.#observer.mailLines(owner, { before: tail.position })) {
      for (const record of records) this.#show({ owner, record });
      if (left-- <= 0) break;
    }
    return tail;
  }

  async #readWoken(): Promise<void> {
    const owners = [...this.#woken];
    this.#woken.clear();
    await mapInBatches(owners, async (owner) => {
      const tail = this.#tails.get(owner);
      for (const record of (await tail?.readNew()) ?? []) this.#show({ owner, record });
      this.#options.onMailOf(owner);
    });
  }

  #settle({ owner, record }: Letter, tail: MailTail): void {
    if (record.state === "set aside") return;
    const { id } = record.message;
    const state = tail.stateOf(id, record.position);
    if (state === record.state) return;
    this.#waiting.delete(id);
    this.#show({ owner, record: { ...record, state } });
  }

  #show(letter: Letter): void {
    const { owner } = letter;
    const record = withEnd(this.#observer, letter);
    if (record.state === "set aside") {
      this.#records.addProblem(`A line in the mailbox of ${owner} ${record.reason}.`);
      this.#records.setMessage(messageView(record, { owner, seenAt: null }));
      return;
    }
    const { id } = record.message;
    const seenAt = this.#seen.get(id) ?? null;
    const known = seenAt !== null ? { ...record, state: "delivered" as const } : record;
    if (known.state === "queued" || letter.record.state === "queued") this.#wait(letter, known);
    if (known.state === "delivered" && seenAt === null) this.#date(letter);
    this.#records.setMessage(messageView(known, { owner, seenAt }));
  }

  #wait(letter: Letter, { state, message }: Exclude<MailRecord, { state: "set aside" }>): void {
    if (state === "delivered") return;
    this.#waiting.set(message.id, letter);
    if (this.#waiting.size <= 2 * windowSize) return;
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined) this.#waiting.delete(oldest);
  }

  #date(letter: Letter): void {
    this.#undated.push(letter);
    if (this.#undated.length > 2 * windowSize) this.#undated.shift();
    this.#dating.want();
  }

  async #findSeen(): Promise<void> {
    const letters = this.#undated;
    this.#undated = [];
    const times = await seenTimes(this.#observer, letters);
    for (const { owner, record } of letters) {
      if (record.state === "set aside") continue;
      const seenAt = times.get(record.message.id);
      if (seenAt === undefined) continue;
      this.#seen.set(record.message.id, seenAt);
      this.#records.setMessage(messageView({ ...record, state: "delivered" }, { owner, seenAt }));
    }
  }
}
