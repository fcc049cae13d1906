import type { CheckoutRecords } from "../../src/checkouts/checkout-records.ts";
import { MemoryCronBook } from "../../src/crons/cron-book.ts";
import { TeamError } from "../../src/errors.ts";
import type { Landings } from "../../src/landing/landings.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { Listeners } from "../../src/lib/listeners.ts";
import { makeOnce } from "../../src/lib/make-once.ts";
import { Serial } from "../../src/lib/serial.ts";
import { MemoryEventLog } from "../../src/logs/memory-event-log.ts";
import { type MailboxReader, newestQueued } from "../../src/mailbox/mailbox.ts";
import { MemoryJobRecords } from "../../src/processes/job-records.ts";
import type { MemberName, MessageId } from "../../src/protocol/ids.ts";
import type { Message, MessageDraft } from "../../src/protocol/message.ts";
import type { Requests } from "../../src/requests/requests.ts";
import type { Roster } from "../../src/roster/roster.ts";
import type { TaskBoard } from "../../src/tasks/task-board.ts";
import { deliveredIn } from "../../src/team/delivered-in.ts";
import { findRecipient } from "../../src/team/find-member.ts";
import type { MemberStore, TeamStore } from "../../src/team/team-store.ts";
import { MemoryTeamView } from "../../src/team/view/memory-team-view.ts";
import type { TeamView } from "../../src/team/view/team-view.ts";
import { MemoryTranscript } from "../../src/transcript/memory-transcript.ts";
import type { Transcript } from "../../src/transcript/transcript.ts";
import type { DurableState } from "./durable-state.ts";
import type { SimulatedProcess, World } from "./world.ts";

/** What is broken on purpose, to see that it would be noticed. */
export type Defect =
  /** A wake is not heard while its member looks at its mail. */
  | "wake-lost-while-looking"
  /** Mail counts as read before it is in the transcript. */
  | "acknowledged-too-early"
  /** What the transcript has already is given again after a restart. */
  | "transcript-ignored"
  /** The approval of a plan holds for every task that follows. */
  | "approval-without-end"
  /** A member does not heed what the person has always allowed. */
  | "rule-ignored";

export interface ProcessStoreOptions {
  world: World;
  process: SimulatedProcess;
  durable: DurableState;
  clock: Clock;
  /** Whether the write that is about to be made fails. */
  fails(label: string): boolean;
  defect: Defect | undefined;
}

/**
 * A team's store as one simulated process has it. Every operation waits at a point before it is
 * carried out and at another before its caller hears of it, so a kill can fall in between.
 */
export class ProcessStore implements TeamStore {
  readonly roster: Roster;
  readonly tasks: TaskBoard;
  readonly requests: Requests;
  readonly landings: Landings;
  readonly checkouts: CheckoutRecords;
  readonly events: MemoryEventLog;
  readonly usage;
  readonly history;
  readonly jobs = new MemoryJobRecords();
  readonly crons = new MemoryCronBook();
  readonly signature;
  readonly lost = new AbortController().signal;
  readonly #options: ProcessStoreOptions;
  readonly #members = new Map<MemberName, Promise<MemberStore>>();

  constructor(options: ProcessStoreOptions) {
    const { durable } = options;
    this.#options = options;
    this.events = new MemoryEventLog(options.clock);
    this.usage = durable.usage;
    this.history = durable.history;
    this.signature = durable.signature;
    this.roster = this.#roster();
    this.tasks = this.#tasks();
    this.requests = this.#requests();
    this.landings = this.#landings();
    this.checkouts = this.#checkouts();
  }

  view(): TeamView {
    const { durable, clock, process } = this.#options;
    return new MemoryTeamView({
      ...{ store: this, clock, changes: new Listeners(), location: "memory:simulated" },
      isOpen: () => process.isAlive,
      mailbox: (owner) => durable.mailbox(owner),
      transcript: (member) => durable.transcript(member),
    });
  }

  async send(to: string, draft: MessageDraft): Promise<Message> {
    const { durable } = this.#options;
    const recipient = findRecipient(await this.roster.read(), to);
    const message = await this.#write(`send ${draft.type} ${draft.from}->${recipient}`, () =>
      durable.mailbox(recipient).append(draft),
    );
    durable.sent.push(message);
    return message;
  }

  newestUnread(name: MemberName): Promise<MessageId | undefined> {
    return newestQueued(this.#options.durable.mailbox(name));
  }

  openMember(name: MemberName): Promise<MemberStore> {
    return makeOnce(this.#members, name, async () => {
      const { durable, defect } = this.#options;
      const mailbox = durable.mailbox(name);
      const isIgnored = defect === "transcript-ignored";
      const seen = isIgnored ? new MemoryTranscript() : durable.transcript(name);
      const reader = await mailbox.openReader({
        delivered: await deliveredIn(seen, { owner: name }),
        onSetAside: () => undefined,
      });
      return {
        ...{ transcript: this.#transcript(name), mailbox, lost: this.lost },
        reader: this.#reader(name, reader),
        [Symbol.asyncDispose]: async () => {
          this.#members.delete(name);
          await reader[Symbol.asyncDispose]();
        },
      };
    });
  }

  forget(name: MemberName): Promise<void> {
    return this.#write(`${name} is forgotten`, () => this.#options.durable.forget(name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.events[Symbol.asyncDispose]();
  }

  async #read<T>(label: string, look: () => Promise<T>): Promise<T> {
    const { world, process } = this.#options;
    await world.point(process, label);
    const seen = await look();
    await world.point(process, `${label} seen`);
    return seen;
  }

  async #write<T>(label: string, write: () => Promise<T>): Promise<T> {
    const { world, process, fails } = this.#options;
    await world.point(process, label);
    if (fails(label)) throw new TeamError("write-failed", `No space is left: ${label}`);
    const written = await write();
    await world.point(process, `${label} done`);
    return written;
  }

  /** Calls back only while the process lives. */
  #alive<T>(listener: (value: T) => void): (value: T) => void {
    const { process } = this.#options;
    return (value) => {
      if (process.isAlive) listener(value);
    };
  }

  #transcript(name: MemberName): Transcript {
    const transcript = this.#options.durable.transcript(name);
    const appends = new Serial();
    return {
      append: (entries) =>
        appends.run(() => {
          const types = entries.map(({ type }) => type).join("+");
          return this.#write(`${name} writes ${types}`, () => transcript.append(entries));
        }),
      tail: () => this.#read(`${name} opens`, () => transcript.tail()),
      entries: () => transcript.entries(),
    };
  }

  #reader(name: MemberName, reader: MailboxReader): MailboxReader {
    const { defect, process } = this.#options;
    let looks = 0;
    return {
      unread: async () => {
        looks++;
        try {
          return await this.#read(`${name} looks`, async () => {
            const unread = await reader.unread();
            const last = unread.at(-1);
            if (defect === "acknowledged-too-early" && last) {
              await reader.acknowledge(last.message.id);
            }
            return unread;
          });
        } finally {
          looks--;
        }
      },
      acknowledge: async (upTo) => {
        if (defect === "acknowledged-too-early") return;
        // A cursor that cannot be written fails nobody: the transcript has the mail.
        await this.#read(`${name} acknowledges`, () => reader.acknowledge(upTo));
      },
      withdraw: (id) => this.#write(`${name} withdraws`, () => reader.withdraw(id)),
      giveBack: (upTo) => this.#write(`${name} gives back`, () => reader.giveBack(upTo)),
      onWake: (listener) =>
        reader.onWake(() => {
          if (defect === "wake-lost-while-looking" && looks > 0) return;
          if (process.isAlive) listener();
        }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  #roster(): Roster {
    const { roster } = this.#options.durable;
    return {
      read: () => this.#read("roster read", () => roster.read()),
      update: (change) => this.#write("roster written", () => roster.update(change)),
      onChange: (listener) => roster.onChange(this.#alive(listener)),
    };
  }

  #tasks(): TaskBoard {
    const { durable } = this.#options;
    const { tasks } = durable;
    return {
      create: (draft) => this.#write("task created", () => tasks.create(draft)),
      get: (id) => this.#read(`task ${id} read`, () => tasks.get(id)),
      list: () => this.#read("tasks read", () => tasks.list()),
      claimable: () => this.#read("tasks looked for", () => tasks.claimable()),
      claim: async (id, change) => {
        const claimed = await this.#write(`task ${id} claimed by ${change.by}`, async () => {
          const before = await tasks.get(id);
          const task = await tasks.claim(id, change);
          if (task.version !== before.version) durable.noteTaken(change.by);
          return task;
        });
        durable.endApproval(change.by);
        return claimed;
      },
      complete: (id, change) =>
        this.#write(`task ${id} completed by ${change.by}`, () => tasks.complete(id, change)),
      update: (id, patch, change) =>
        this.#write(`task ${id} changed by ${change.by}`, () => tasks.update(id, patch, change)),
      release: (id, release) =>
        this.#write(`task ${id} of ${release.holder} released`, () => tasks.release(id, release)),
      releaseAll: (release) =>
        this.#write(`tasks of ${release.holder} released`, () => tasks.releaseAll(release)),
      onChange: (listener) => tasks.onChange(this.#alive(listener)),
    };
  }

  #landings(): Landings {
    const { landings } = this.#options.durable;
    return {
      take: (draft) => this.#write(`work of ${draft.member} taken`, () => landings.take(draft)),
      get: (id) => this.#read(`landing ${id} read`, () => landings.get(id)),
      list: () => this.#read("landings read", () => landings.list()),
      move: (landing, move) =>
        this.#write(`landing ${landing.id} ${move.state}`, () => landings.move(landing, move)),
      onChange: (listener) => landings.onChange(this.#alive(listener)),
    };
  }

  #checkouts(): CheckoutRecords {
    const { checkouts } = this.#options.durable;
    return {
      list: () => this.#read("checkouts read", () => checkouts.list()),
      get: (member) => this.#read(`checkout of ${member} read`, () => checkouts.get(member)),
      put: (draft) => this.#write(`checkout of ${draft.id}`, () => checkouts.put(draft)),
    };
  }

  #requests(): Requests {
    const { requests } = this.#options.durable;
    return {
      open: (draft) =>
        this.#write(`${draft.type} of ${draft.from} opened`, () => requests.open(draft)),
      get: (id) => this.#read("request read", () => requests.get(id)),
      list: (filter) => this.#read("requests read", () => requests.list(filter)),
      decide: (id, answer) =>
        this.#write(`request decided by ${answer.by}`, () => requests.decide(id, answer)),
      expire: (id, reason) => this.#write("request expires", () => requests.expire(id, reason)),
      cancel: (id, by, reason) =>
        this.#write("request cancelled", () => requests.cancel(id, by, reason)),
      onChange: (listener) => requests.onChange(this.#alive(listener)),
    };
  }
}
