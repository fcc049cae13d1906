import { randomBytes } from "node:crypto";
import type { CheckoutRecords } from "../checkouts/checkout-records.ts";
import { StoredCheckouts } from "../checkouts/stored-checkouts.ts";
import { MemoryCronBook } from "../crons/cron-book.ts";
import { hmacSignature } from "../keys/signature.ts";
import type { Landings } from "../landing/landings.ts";
import { StoredLandings } from "../landing/stored-landings.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { Listeners } from "../lib/listeners.ts";
import { makeOnce } from "../lib/make-once.ts";
import { MemoryEventLog } from "../logs/memory-event-log.ts";
import { MemoryUsageLedger } from "../logs/memory-usage-ledger.ts";
import { type MailboxReaderOptions, newestQueued } from "../mailbox/mailbox.ts";
import { MemoryMailbox } from "../mailbox/memory-mailbox.ts";
import { MemoryJobRecords } from "../processes/job-records.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import { StoredRequests } from "../requests/stored-requests.ts";
import { MemoryRoster } from "../roster/memory-roster.ts";
import { newTeam } from "../roster/team-file.ts";
import { StoredTaskBoard } from "../tasks/stored-task-board.ts";
import { MemoryTranscript } from "../transcript/memory-transcript.ts";
import type { ChangeHistory } from "../workspace/change-history.ts";
import { MemoryChangeHistory } from "../workspace/memory-change-history.ts";
import { deliveredIn } from "./delivered-in.ts";
import { findRecipient } from "./find-member.ts";
import type { MemberStore, TeamStore } from "./team-store.ts";
import { MemoryTeamView } from "./view/memory-team-view.ts";
import type { TeamChange } from "./view/team-view.ts";

/** Everything a team keeps, for as long as this process lives. */
export class MemoryTeamStore implements TeamStore {
  readonly roster: MemoryRoster;
  readonly tasks: StoredTaskBoard;
  readonly requests: StoredRequests;
  readonly landings: Landings;
  readonly checkouts: CheckoutRecords;
  readonly events: MemoryEventLog;
  readonly usage: MemoryUsageLedger;
  readonly jobs = new MemoryJobRecords();
  /** Nobody else can become the lead of what only this process sees. */
  readonly lost: AbortSignal = new AbortController().signal;
  readonly crons = new MemoryCronBook();
  readonly history: ChangeHistory;
  readonly signature = hmacSignature(randomBytes(32));
  readonly #clock: Clock;
  readonly #transcripts = new Map<MemberName, MemoryTranscript>();
  readonly #mailboxes = new Map<MemberName, MemoryMailbox>();
  readonly #members = new Map<MemberName, Promise<MemberStore>>();
  readonly #changes = new Listeners<TeamChange>();
  #isOpen = true;

  /** `clock` is where the times of what is stored come from (default: this machine's). */
  constructor({ clock = systemClock }: { clock?: Clock } = {}) {
    this.#clock = clock;
    this.roster = new MemoryRoster(newTeam(clock.now()));
    this.tasks = new StoredTaskBoard({ clock });
    this.requests = new StoredRequests({ clock, signature: this.signature });
    this.landings = new StoredLandings({ clock, signature: this.signature });
    this.checkouts = new StoredCheckouts({ clock, signature: this.signature });
    this.events = new MemoryEventLog(clock);
    this.history = new MemoryChangeHistory(clock);
    this.usage = new MemoryUsageLedger({ onChange: () => this.#changes.emit({ type: "usage" }) });
    this.roster.onChange(() => this.#changes.emit({ type: "team" }));
    this.tasks.onChange(() => this.#changes.emit({ type: "tasks" }));
    this.requests.onChange(() => this.#changes.emit({ type: "requests" }));
    this.landings.onChange(() => this.#changes.emit({ type: "landings" }));
  }

  view(): MemoryTeamView {
    return new MemoryTeamView({
      store: this,
      location: `memory:${this.roster.known.team_id}`,
      clock: this.#clock,
      changes: this.#changes,
      isOpen: () => this.#isOpen,
      mailbox: (owner) => this.#mailbox(owner),
      transcript: (member) => this.#transcript(member),
    });
  }

  async send(to: string, draft: MessageDraft): Promise<Message> {
    return this.#mailbox(findRecipient(this.roster.known, to)).append(draft);
  }

  newestUnread(name: MemberName): Promise<MessageId | undefined> {
    return newestQueued(this.#mailbox(name));
  }

  openMember(
    name: MemberName,
    options: Pick<MailboxReaderOptions, "onSetAside">,
  ): Promise<MemberStore> {
    return makeOnce(this.#members, name, () => this.#openMember(name, options));
  }

  async forget(name: MemberName): Promise<void> {
    this.#transcript(name).clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOpen = false;
    this.#changes.emit({ type: "lead" });
    for (const mailbox of this.#mailboxes.values()) await mailbox[Symbol.asyncDispose]();
    await this.events[Symbol.asyncDispose]();
  }

  async #openMember(
    name: MemberName,
    { onSetAside }: Pick<MailboxReaderOptions, "onSetAside">,
  ): Promise<MemberStore> {
    const mailbox = this.#mailbox(name);
    const transcript = this.#transcript(name);
    const delivered = await deliveredIn(transcript, { owner: name });
    const reader = await mailbox.openReader({ delivered, onSetAside });
    return {
      ...{ transcript, mailbox, reader, lost: this.lost },
      [Symbol.asyncDispose]: async () => {
        this.#members.delete(name);
        await reader[Symbol.asyncDispose]();
      },
    };
  }

  #mailbox(owner: MemberName): MemoryMailbox {
    const onChange = (type: "mail" | "mail-read") => this.#changes.emit({ type, member: owner });
    const known = this.#mailboxes.get(owner);
    const mailbox = known ?? new MemoryMailbox({ owner, clock: this.#clock, onChange });
    this.#mailboxes.set(owner, mailbox);
    return mailbox;
  }

  #transcript(member: MemberName): MemoryTranscript {
    const transcript = this.#transcripts.get(member) ?? new MemoryTranscript();
    this.#transcripts.set(member, transcript);
    return transcript;
  }
}
