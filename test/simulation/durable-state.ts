import { StoredCheckouts } from "../../src/checkouts/stored-checkouts.ts";
import { hmacSignature } from "../../src/keys/signature.ts";
import { StoredLandings } from "../../src/landing/stored-landings.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { MemoryUsageLedger } from "../../src/logs/memory-usage-ledger.ts";
import type { MailRecord } from "../../src/mailbox/mailbox.ts";
import { MemoryMailbox } from "../../src/mailbox/memory-mailbox.ts";
import { type MemberName, type RequestId, user } from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/message.ts";
import type { TeamRequest } from "../../src/protocol/request.ts";
import type { TeamRecord } from "../../src/protocol/team.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { StoredRequests } from "../../src/requests/stored-requests.ts";
import { MemoryRoster } from "../../src/roster/memory-roster.ts";
import { newTeam } from "../../src/roster/team-file.ts";
import { StoredTaskBoard } from "../../src/tasks/stored-task-board.ts";
import { MemoryTranscript } from "../../src/transcript/memory-transcript.ts";
import { MemoryChangeHistory } from "../../src/workspace/memory-change-history.ts";

export type StoredMail = Exclude<MailRecord, { state: "set aside" }>;

/** The disk of a simulation: what outlives its processes, and what the invariants are read from. */
export class DurableState {
  readonly roster: MemoryRoster;
  readonly tasks: StoredTaskBoard;
  readonly requests: StoredRequests;
  readonly landings: StoredLandings;
  readonly checkouts: StoredCheckouts;
  readonly usage = new MemoryUsageLedger();
  readonly history: MemoryChangeHistory;
  readonly signature = hmacSignature(Buffer.alloc(32, 7));
  /** True once a write has failed: then not everything is done before the next start. */
  hasFailed = false;
  /** All mail whose sender knows that it was sent. */
  readonly sent: Message[] = [];
  /** The newest roster and the newest plan of each member, to be looked at without waiting. */
  team: TeamRecord;
  readonly plans = new Map<MemberName, TeamRequest>();
  /** What the person has not answered yet. */
  readonly questions = new Map<RequestId, TeamRequest>();
  /** Everybody who was shut down at some time. */
  readonly ended = new Set<MemberName>();
  readonly #clock: Clock;
  readonly #mailboxes = new Map<MemberName, MemoryMailbox>();
  readonly #transcripts = new Map<MemberName, MemoryTranscript>();
  readonly #past = new Map<MemberName, readonly (readonly TranscriptEntry[])[]>();
  /** Who has taken a task since its newest plan has changed. */
  readonly #taken = new Map<MemberName, "on disk" | "known">();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.team = newTeam(clock.now());
    this.roster = new MemoryRoster(this.team);
    this.history = new MemoryChangeHistory(clock);
    this.tasks = new StoredTaskBoard({ clock });
    this.requests = new StoredRequests({ clock, signature: this.signature });
    this.landings = new StoredLandings({ clock, signature: this.signature });
    this.checkouts = new StoredCheckouts({ clock, signature: this.signature });
    this.roster.onChange((team) => {
      this.team = team;
      for (const { name, status } of team.members) if (status === "shutdown") this.ended.add(name);
    });
    this.requests.onChange((request) => this.#keep(request));
  }

  mailbox(owner: MemberName): MemoryMailbox {
    const known = this.#mailboxes.get(owner);
    if (known) return known;
    const mailbox = new MemoryMailbox({ owner, clock: this.#clock });
    this.#mailboxes.set(owner, mailbox);
    return mailbox;
  }

  transcript(owner: MemberName): MemoryTranscript {
    const known = this.#transcripts.get(owner);
    if (known) return known;
    const transcript = new MemoryTranscript();
    this.#transcripts.set(owner, transcript);
    return transcript;
  }

  /** A member has taken a task on disk; the process that did it does not know yet. */
  noteTaken(by: MemberName): void {
    this.#taken.set(by, "on disk");
  }

  /** Whoever took the task knows it: an approval from before holds no longer. */
  endApproval(of: MemberName): void {
    if (this.#taken.has(of)) this.#taken.set(of, "known");
  }

  /** True when a member has taken a task since its plan was decided. */
  hasTakenTask(name: MemberName): boolean {
    return this.#taken.get(name) === "known";
  }

  /** A member begins anew: what it was shown and said is set aside. */
  async forget(name: MemberName): Promise<void> {
    this.#past.set(name, [...this.pastOf(name), await this.entriesOf(name)]);
    this.transcript(name).clear();
  }

  /** What a member was shown and said before it began anew, each time. */
  pastOf(name: MemberName): readonly (readonly TranscriptEntry[])[] {
    return this.#past.get(name) ?? [];
  }

  /** Nobody reads and nobody listens any more: the process that did was killed. */
  async release(): Promise<void> {
    for (const name of this.#taken.keys()) this.#taken.set(name, "known");
    for (const mailbox of this.#mailboxes.values()) await mailbox[Symbol.asyncDispose]();
  }

  /** Everything in a member's mailbox, oldest first. */
  async mailOf(owner: MemberName): Promise<StoredMail[]> {
    const records: StoredMail[] = [];
    for await (const record of this.mailbox(owner).records()) {
      if (record.state !== "set aside") records.push(record);
    }
    return records.reverse();
  }

  async entriesOf(owner: MemberName): Promise<TranscriptEntry[]> {
    const entries: TranscriptEntry[] = [];
    for await (const entry of this.transcript(owner).entries()) entries.push(entry);
    return entries;
  }

  #keep(request: TeamRequest): void {
    const { id, from, to, type, state } = request;
    if (to === user && state === "pending") this.questions.set(id, request);
    else this.questions.delete(id);
    if (type !== "plan") return;
    const newest = this.plans.get(from);
    if (newest && newest.id > id) return;
    this.plans.set(from, request);
    this.#taken.delete(from);
  }
}
