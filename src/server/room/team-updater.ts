import type { Clock } from "../../lib/clock.ts";
import { Disposables } from "../../lib/disposables.ts";
import type { OwnFacts } from "../../model/model-facts.ts";
import type { AgentEvent, StoredEvent } from "../../protocol/events.ts";
import type { TeamRecord } from "../../protocol/team.ts";
import type { TeamChange, TeamView } from "../../team/view/team-view.ts";
import { landingViews } from "./landing-view.ts";
import { LiveTextBuffer } from "./live-text-buffer.ts";
import { MailUpdater } from "./mail-updater.ts";
import { PacedWork } from "./paced-work.ts";
import type { RoomRecords } from "./records.ts";
import { RequestUpdater } from "./request-updater.ts";
import { RoomMembers } from "./room-members.ts";
import { ruleView } from "./rule-view.ts";
import { taskView } from "./task-view.ts";

/** How many events are read to find out what everybody is doing. */
const recentEvents = 2_000;
const eventPaceMs = 50;
const publishPaceMs = 100;
const lookPaceMs = 200;

export interface TeamUpdaterOptions {
  records: RoomRecords;
  clock: Clock;
  /** What the person says of models and providers. */
  own: OwnFacts;
  /** Called with what a look has failed with. It is tried again. */
  onFailure(error: unknown): void;
  /** Called when a member says something that is not in its transcript yet. */
  onLive(): void;
}

type StalePart = "lead" | "tasks" | "requests" | "usage" | "modes" | "rules" | "landings";

/** Keeps the room's records of one team up to date. */
export class TeamUpdater implements AsyncDisposable {
  readonly live = new LiveTextBuffer();
  readonly #view: TeamView;
  readonly #options: TeamUpdaterOptions;
  readonly #mail: MailUpdater;
  readonly #members: RoomMembers;
  readonly #requests: RequestUpdater;
  readonly #closing = new AbortController();
  readonly #opened = new Disposables();
  readonly #publishing: PacedWork;
  readonly #looking: PacedWork;
  /** What has to be read again. */
  readonly #stale = new Set<StalePart>();
  #following: Promise<void> = Promise.resolve();
  #completing: Promise<void> = Promise.resolve();

  constructor(view: TeamView, team: TeamRecord, options: TeamUpdaterOptions) {
    this.#view = view;
    this.#options = options;
    const { records, own } = options;
    this.#requests = new RequestUpdater(view, records);
    const mail = new MailUpdater(view, team, {
      ...options,
      onUnread: (owner) => {
        this.#members.change(owner);
        this.#publishing.want();
      },
    });
    this.#mail = this.#opened.use(mail);
    this.#members = new RoomMembers(team, {
      ...{ records, own },
      unreadOf: (owner) => mail.unreadOf(owner),
    });
    this.#publishing = this.#paced(publishPaceMs, () => this.#members.publish());
    this.#looking = this.#paced(lookPaceMs, () => this.#look());
  }

  /** Resolves when the first screen can be shown. What takes longer follows. */
  async open(): Promise<void> {
    // First: what they say need not be looked up elsewhere.
    const events = await this.#view.recentEvents(recentEvents);
    for (const { event } of events) this.#takePast(event);
    await Promise.all([
      this.#mail.open(),
      this.#requests.open(),
      this.#read("lead"),
      this.#read("tasks"),
      this.#read("usage"),
      this.#read("modes"),
      this.#read("rules"),
      this.#read("landings"),
    ]);
    if (this.#options.records.running === null) this.#members.rest();
    this.#members.changeAll();
    await this.#members.publish();
    this.#following = this.#follow(events.at(-1)?.seq ?? 0);
  }

  /** Resolves when everything is known that takes longer than the first screen. */
  async complete(): Promise<void> {
    await this.#completing;
    await this.#members.publish();
  }

  setTeam(team: TeamRecord): void {
    this.#members.setTeam(team);
    this.#mail.setTeam(team);
    this.#publishing.want();
    this.#want("modes");
  }

  onChange(change: TeamChange): void {
    switch (change.type) {
      case "mail":
        this.#mail.wake(change.member);
        break;
      case "mail-read":
        this.#mail.wake(change.member, { isProgress: true });
        break;
      case "lead":
      case "tasks":
      case "requests":
      case "landings":
      case "usage":
        this.#want(change.type);
        break;
      case "team":
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#following;
    await this.#opened[Symbol.asyncDispose]();
  }

  #want(part: StalePart): void {
    this.#stale.add(part);
    this.#looking.want();
  }

  async #look(): Promise<void> {
    const parts = [...this.#stale];
    this.#stale.clear();
    for (const part of parts) await this.#read(part);
    this.#publishing.want();
  }

  async #read(part: StalePart): Promise<void> {
    const { records } = this.#options;
    switch (part) {
      case "lead":
        return this.#readLead();
      case "tasks":
        return this.#readTasks();
      case "requests":
        await this.#requests.refresh();
        return this.#members.changeAll();
      case "usage":
        return this.#members.setUsage(await this.#view.usage());
      case "modes":
        return this.#members.setModes(await this.#view.modes());
      case "rules":
        return records.setRules((await this.#view.rules()).flatMap(ruleView));
      case "landings":
        return records.setLandings(landingViews(await this.#view.landings()));
    }
  }

  async #readLead(): Promise<void> {
    const lead = await this.#view.lead();
    const running = lead ? { pid: lead.pid, host: lead.host } : null;
    const { records } = this.#options;
    const wasRunning = records.running !== null;
    if (!records.setRunning(running)) return;
    // The activities of the previous process have ended.
    if (wasRunning) {
      this.#members.rest();
      this.live.clear();
    }
    this.#members.changeAll();
  }

  async #readTasks(): Promise<void> {
    const { records } = this.#options;
    const tasks = await this.#view.tasks();
    for (const task of tasks) records.set(records.tasks, taskView(task));
    records.keepOnly(records.tasks, new Set(tasks.map(({ id }) => id)));
  }

  async #follow(after: number): Promise<void> {
    const { signal } = this.#closing;
    try {
      this.#completing = this.#complete(signal);
      const events = this.#view.events({ after, signal, paceMs: eventPaceMs });
      for await (const stored of events) this.#take(stored);
      await this.#completing;
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /** What is not needed for the first screen. A step that fails does not stop the others. */
  async #complete(signal: AbortSignal): Promise<void> {
    const steps = [
      () => this.#members.lookBack(this.#view, signal),
      () => this.#mail.complete(),
      () => this.#requests.complete(),
    ];
    for (const step of steps) {
      if (signal.aborted) return;
      try {
        await step();
      } catch (error) {
        this.#options.onFailure(error);
      }
      this.#members.changeAll();
      this.#publishing.want();
    }
  }

  #take({ event }: StoredEvent): void {
    const { records, onLive } = this.#options;
    this.#members.take(event);
    this.#publishing.want();
    if (this.live.take(event)) onLive();
    if (records.running === null) this.#want("lead");
    if (event.member !== undefined && growing.has(event.type)) records.grow(event.member);
    switch (event.type) {
      case "message-sent":
        this.#mail.requireShown(event.id, event.to);
        break;
      case "message-delivered":
        this.#mail.setDelivered(event.id, event.at);
        break;
      case "warning":
        records.addProblem(event.hint ? `${event.message}. ${event.hint}` : event.message);
        break;
      case "task-change":
        this.#want("tasks");
        break;
      case "request-change":
        this.#want("requests");
        break;
      case "rule-change":
        this.#want("rules");
        break;
      case "mode-change":
        this.#want("modes");
        break;
      case "turn-end":
        this.#want("usage");
    }
  }

  #takePast(event: AgentEvent): void {
    this.#members.take(event);
    if (event.type === "message-delivered") this.#mail.setDelivered(event.id, event.at);
    else this.live.take(event);
  }

  #paced(paceMs: number, work: () => Promise<void>): PacedWork {
    const { clock, onFailure } = this.#options;
    return this.#opened.use(new PacedWork({ clock, paceMs, work, onFailure }));
  }
}

/** Events after which a transcript has more than before. */
const growing: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  ...(["run-start", "message-delivered", "tool-call", "tool-result", "turn-end"] as const),
  ...(["compaction-end", "clear", "run-end"] as const),
]);
