import { hostname } from "node:os";
import type { ListedCheckout } from "../../checkouts/listed-checkouts.ts";
import type { FenceHolder } from "../../fence/fence.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Listeners } from "../../lib/listeners.ts";
import { follow } from "../../logs/follow.ts";
import type { MemoryEventLog } from "../../logs/memory-event-log.ts";
import type { MemoryUsageLedger } from "../../logs/memory-usage-ledger.ts";
import type { MailRecord } from "../../mailbox/mailbox.ts";
import type { MemoryMailbox } from "../../mailbox/memory-mailbox.ts";
import type { StoredEvent } from "../../protocol/events.ts";
import type { LandingId, MemberName, MessageId, RequestId } from "../../protocol/ids.ts";
import type { Landing } from "../../protocol/landing.ts";
import type { Message } from "../../protocol/message.ts";
import { isShown } from "../../protocol/message-types.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { Task } from "../../protocol/task.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import type { RequestFilter } from "../../requests/requests.ts";
import type { MemoryRecord, MemoryTranscript } from "../../transcript/memory-transcript.ts";
import type { KnownChanges } from "../../workspace/change-history.ts";
import { hasEnded } from "../find-member.ts";
import type { BroughtWork } from "../landings/bring-landed.ts";
import type { LandingChanges } from "../landings/landing-changes.ts";
import { permissionsOf } from "../members/signed-permissions.ts";
import { addedRules, storedChanges } from "../protocols/added-rules.ts";
import { type MemberMode, storedModes } from "../protocols/member-modes.ts";
import type { TeamRule } from "../protocols/team-rules.ts";
import type { TeamStore } from "../team-store.ts";
import { type ArchivedTeam, noSuchTeam } from "./archived-team.ts";
import { mailedActions } from "./mailed-actions.ts";
import type {
  ArchivedTeamView,
  CheckoutContents,
  CleanedCheckouts,
  FollowEvents,
  FollowTranscript,
  ListedEntry,
  ListedMail,
  MailPage,
  MailQuery,
  MemberUsage,
  TeamChange,
  TeamView,
  TranscriptPage,
  TranscriptQuery,
  UsagePage,
  UsageQuery,
} from "./team-view.ts";
import { TeamWork } from "./team-work.ts";

export interface MemoryTeamViewOptions {
  store: Pick<
    TeamStore,
    "roster" | "tasks" | "requests" | "landings" | "checkouts" | "history" | "send" | "signature"
  > & {
    readonly events: MemoryEventLog;
    readonly usage: MemoryUsageLedger;
  };
  location: string;
  clock: Clock;
  changes: Listeners<TeamChange>;
  /** False once the store is closed, so that no process runs the team. */
  isOpen(): boolean;
  mailbox(owner: MemberName): MemoryMailbox;
  transcript(member: MemberName): MemoryTranscript;
}

/** A team that this process keeps in its memory. */
export class MemoryTeamView implements TeamView {
  readonly location: string;
  readonly send;
  readonly broadcast;
  readonly answer;
  readonly stop;
  readonly addRule;
  readonly removeRule;
  readonly setMode;
  readonly decideLanding;
  readonly #options: MemoryTeamViewOptions;
  readonly #store: MemoryTeamViewOptions["store"];
  readonly #work: TeamWork;

  constructor(options: MemoryTeamViewOptions) {
    this.location = options.location;
    this.#options = options;
    this.#store = options.store;
    const { landings, checkouts, roster } = options.store;
    this.#work = new TeamWork(
      {
        landings: () => landings.list(),
        checkouts: () => checkouts.list(),
        teamId: async () => (await roster.read()).team_id,
      },
      options.clock,
    );
    const actions = mailedActions({
      ...{ view: this, clock: options.clock },
      requests: async () => options.store.requests,
      leave: (to, draft) => options.store.send(to, draft),
    });
    this.send = actions.send;
    this.broadcast = actions.broadcast;
    this.answer = actions.answer;
    this.stop = actions.stop;
    this.addRule = actions.addRule;
    this.removeRule = actions.removeRule;
    this.setMode = actions.setMode;
    this.decideLanding = actions.decideLanding;
  }

  /** Nothing in the memory of this process can be damaged. */
  reopen(): MemoryTeamView {
    return this;
  }

  /** Nobody else can have made it. */
  async isOwn(): Promise<boolean> {
    return true;
  }

  /** No team is set aside in memory. */
  async archives(): Promise<ArchivedTeam[]> {
    return [];
  }

  async archive(name: string): Promise<ArchivedTeamView> {
    throw noSuchTeam(name, this.location);
  }

  team(): Promise<TeamRecord> {
    return this.#store.roster.read();
  }

  async lead(): Promise<FenceHolder | undefined> {
    if (!this.#options.isOpen()) return undefined;
    return { epoch: 1, host: hostname(), pid: process.pid, isAlive: true };
  }

  tasks(): Promise<Task[]> {
    return this.#store.tasks.list();
  }

  landings(): Promise<Landing[]> {
    return this.#store.landings.list();
  }

  landingChanges(id: LandingId): Promise<LandingChanges> {
    return this.#work.landingChanges(id);
  }

  checkouts(): Promise<ListedCheckout[]> {
    return this.#work.checkouts();
  }

  inspectCheckout(path: string): Promise<CheckoutContents> {
    return this.#work.inspectCheckout(path);
  }

  requests(filter: RequestFilter = {}): Promise<TeamRequest[]> {
    return this.#store.requests.list(filter);
  }

  async requestIds(): Promise<RequestId[]> {
    return (await this.requests()).map(({ id }) => id);
  }

  async request(id: RequestId): Promise<TeamRequest | undefined> {
    return (await this.requests()).find((request) => request.id === id);
  }

  async rules(): Promise<TeamRule[]> {
    const { rules } = permissionsOf(await this.team(), this.#store.signature);
    const approved = await this.requests({ state: "approved", type: "permission" });
    return addedRules(storedChanges(approved, rules));
  }

  async modes(): Promise<MemberMode[]> {
    return storedModes(await this.team(), this.#store.signature);
  }

  async mail(owner: MemberName, { from, limit }: MailQuery): Promise<MailPage> {
    const first = from === undefined ? Number.POSITIVE_INFINITY : Number(from);
    const records: ListedMail[] = [];
    for await (const record of this.#listed(owner)) {
      // Not `>`: an invalid place is before everything.
      if (!(Number(record.cursor) <= first)) continue;
      if (records.length >= limit) return { records, next: record.cursor };
      records.push(record);
    }
    return { records, next: null };
  }

  async message(owner: MemberName, id: MessageId): Promise<ListedMail | undefined> {
    for await (const record of this.#listed(owner)) {
      if (record.state !== "set aside" && record.message.id === id) return record;
    }
    return undefined;
  }

  async unread(owner: MemberName): Promise<number> {
    let unread = 0;
    for await (const record of this.#listed(owner)) {
      if (record.state === "queued" && isShown(record.message)) unread += 1;
    }
    return unread;
  }

  async seenTimes(
    owner: MemberName,
    messages: readonly Message[],
  ): Promise<Map<MessageId, string>> {
    const wanted = new Set(messages.map(({ id }) => id));
    const found = new Map<MessageId, string>();
    for (const entry of this.#options.transcript(owner).record.entries) {
      const mail = entry.type === "tool-result" ? (entry.mail ?? []) : [];
      const seen = entry.type === "delivery" ? [entry] : mail;
      for (const { message } of seen) if (wanted.has(message.id)) found.set(message.id, entry.at);
    }
    return found;
  }

  async transcript(member: MemberName, query: TranscriptQuery): Promise<TranscriptPage> {
    const { record } = this.#options.transcript(member);
    const { number, entries } = record;
    const asked = query.after === null ? `${number}_0` : (query.after ?? query.before);
    const [, known, place] = /^(\d+)_(\d+)$/.exec(asked ?? "") ?? [];
    const isRestarted = asked !== undefined && Number(known) !== number;
    const isForwards = query.after !== undefined && !isRestarted;
    const at = asked === undefined || isRestarted ? entries.length : Number(place);
    const start = isForwards ? at : Math.max(0, at - query.limit);
    const end = isForwards ? Math.min(entries.length, at + query.limit) : at;
    return {
      entries: listEntries(record, start, end),
      before: start > 0 ? `${number}_${start}` : null,
      after: `${number}_${end}`,
      isRestarted,
    };
  }

  async *followTranscript(
    member: MemberName,
    { after, signal }: FollowTranscript,
  ): AsyncGenerator<ListedEntry> {
    const transcript = this.#options.transcript(member);
    const [, known, place] = /^(\d+)_(\d+)$/.exec(after) ?? [];
    let held = transcript.record;
    let next = Number(known) === held.number ? Number(place) : 0;
    yield* follow({
      async *readNew() {
        for (;;) {
          const now = transcript.record;
          const end = held.entries.length;
          yield* listEntries(held, next, end);
          next = end;
          if (now.number === held.number) return;
          [held, next] = [now, 0];
        }
      },
      subscribe: (wake) => transcript.onChange(wake),
      signal,
    });
  }

  async usage(): Promise<Map<MemberName, MemberUsage>> {
    return this.#store.usage.byMember();
  }

  async usageLines({ after, limit }: UsageQuery): Promise<UsagePage> {
    const { lines, next } = this.#store.usage.lines(Number(after) || 0, limit);
    return { lines, after: String(next), isRestarted: false };
  }

  fileChanges(since: Date): Promise<KnownChanges> {
    return this.#store.history.since(since);
  }

  fileContent(hash: string): Promise<Buffer | undefined> {
    return this.#store.history.content(hash);
  }

  async recentEvents(count: number): Promise<StoredEvent[]> {
    return this.#store.events.newest(count);
  }

  async *events({ after, signal }: FollowEvents): AsyncGenerator<StoredEvent> {
    yield* this.#store.events.follow({ ...(after !== undefined && { after }), signal });
  }

  onChange(listener: (change: TeamChange) => void): () => void {
    return this.#options.changes.add(listener);
  }

  bringLanded(workspace?: string): Promise<BroughtWork[]> {
    return this.#work.bringLanded(workspace);
  }

  cleanCheckouts(paths?: readonly string[]): Promise<CleanedCheckouts> {
    return this.#work.cleanCheckouts(paths);
  }

  async restore(name: string): Promise<void> {
    throw noSuchTeam(name, this.location);
  }

  async *#listed(owner: MemberName): AsyncGenerator<ListedMail> {
    const isOver = hasEnded(await this.team(), owner);
    for await (const record of this.#options.mailbox(owner).records()) {
      yield listedMail(record, isOver);
    }
  }
}

function listedMail({ position, ...record }: MailRecord, isOver: boolean): ListedMail {
  const cursor = String(position.offset);
  if (record.state === "queued" && isOver) return { cursor, ...record, state: "undelivered" };
  return { cursor, ...record };
}

function listEntries({ number, entries }: MemoryRecord, start: number, end: number): ListedEntry[] {
  return entries.slice(start, end).map((entry, index) => ({
    cursor: `${number}_${start + index}`,
    entry: structuredClone(entry),
    damage: null,
  }));
}
