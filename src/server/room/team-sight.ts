import { Disposables } from "../../lib/disposables.ts";
import type { UsageTail } from "../../logs/usage-tail.ts";
import type { AgentEvent, StoredEvent } from "../../protocol/events.ts";
import type { TeamAppearance, TeamObserver } from "../../team/team-observer.ts";
import { LiveTexts } from "./live-texts.ts";
import { MailSight } from "./mail-sight.ts";
import { Members } from "./members.ts";
import { Paced } from "./paced.ts";
import { RequestSight } from "./request-sight.ts";
import type { SightOptions } from "./sight-options.ts";
import { taskView } from "./task-view.ts";

/** So many events tell what everybody is doing. */
const recentEvents = 2_000;
const eventPaceMs = 50;
const publishPaceMs = 100;
const lookPaceMs = 200;

export interface TeamSightOptions extends Omit<SightOptions, "onMailOf"> {
  /** Told when a member says something that is not in its transcript yet. */
  onLive(): void;
}

/** Looks at one team as long as it is there, and keeps the room's records of it up to date. */
export class TeamSight implements AsyncDisposable {
  readonly live = new LiveTexts();
  readonly #options: TeamSightOptions;
  readonly #mail: MailSight;
  readonly #members: Members;
  readonly #requests: RequestSight;
  readonly #usage: UsageTail;
  readonly #closing = new AbortController();
  readonly #opened = new Disposables();
  readonly #publishing: Paced;
  readonly #looking: Paced;
  readonly #lookingForLead: Paced;
  #observer: TeamObserver;
  /** What the files looked like when they were last read. */
  #seen: Partial<TeamAppearance> = {};
  /** Directories that may have changed since without looking other than before. */
  readonly #unsure = new Set<string>();
  #following: Promise<void> = Promise.resolve();
  #completing: Promise<void> = Promise.resolve();

  constructor(observer: TeamObserver, options: TeamSightOptions) {
    this.#observer = observer;
    this.#options = options;
    const { records } = options;
    this.#usage = observer.usageTail();
    this.#requests = new RequestSight(records);
    this.#mail = this.#opened.use(
      new MailSight(observer, {
        ...options,
        onMailOf: (owner) => {
          this.#members.change(owner);
          this.#publishing.want();
        },
      }),
    );
    this.#members = new Members(observer.team, {
      ...{ records, usage: this.#usage },
      unreadOf: (owner) => this.#mail.unreadOf(owner),
    });
    this.#publishing = this.#paced(publishPaceMs, async () => this.#members.publish());
    this.#looking = this.#paced(lookPaceMs, () => this.look());
    this.#lookingForLead = this.#paced(lookPaceMs, () => this.lookForLead());
  }

  get observer(): TeamObserver {
    return this.#observer;
  }

  /** Resolves when the first screen can be shown. What takes longer follows. */
  async open(): Promise<void> {
    const observer = this.#observer;
    // First: what they tell need not be looked up elsewhere.
    const events = await observer.recentEvents(recentEvents);
    for (const { event } of events) this.#takePast(event);
    await Promise.all([
      this.lookForLead(),
      this.#mail.open(),
      this.#requests.open(observer),
      this.#readTasks(),
      this.#usage.refresh(),
    ]);
    if (this.#options.records.running === null) this.#members.rest();
    this.#members.changeAll();
    this.#members.publish();
    this.#following = this.#follow(events.at(-1)?.seq ?? 0);
  }

  /** Resolves when that is known, too, which takes longer than the first screen. */
  async complete(): Promise<void> {
    await this.#completing;
    this.#members.publish();
  }

  /** The roster has changed. */
  async setTeam(observer: TeamObserver): Promise<void> {
    this.#observer = observer;
    this.#members.setTeam(observer.team);
    await this.#mail.setTeam(observer);
    this.#publishing.want();
  }

  /** Reads again whatever looks other than before: events can be lost, and others act too. */
  async look(): Promise<void> {
    const seen = await this.#observer.appearance();
    const before = this.#seen;
    // Before the reading: what is written meanwhile looks other than this.
    this.#seen = seen;
    if (this.#isToRead("tasks", seen.tasks !== before.tasks)) await this.#readTasks();
    if (this.#isToRead("requests", seen.requests !== before.requests)) {
      await this.#requests.refresh(this.#observer);
      this.#members.changeAll();
    }
    if (seen.usage !== before.usage && (await this.#usage.refresh())) this.#members.changeAll();
    this.#publishing.want();
  }

  /**
   * Whether a directory has to be read. After a change it is read at the next look too: its time is
   * coarse, and two changes of one moment look like one.
   */
  #isToRead(name: "tasks" | "requests", isChanged: boolean): boolean {
    const isUnsure = this.#unsure.delete(name);
    if (isChanged) this.#unsure.add(name);
    return isChanged || isUnsure;
  }

  async lookForLead(): Promise<void> {
    const lead = await this.#observer.lead();
    const running = lead ? { pid: lead.pid, host: lead.host } : null;
    const { records } = this.#options;
    const wasRunning = records.running !== null;
    if (!records.setRunning(running)) return;
    // Whatever the one before was doing is not being done any more.
    if (wasRunning) {
      this.#members.rest();
      this.live.clear();
    }
    this.#members.changeAll();
    this.#publishing.want();
  }

  lookAtMail(): Promise<void> {
    return this.#mail.refresh();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#following;
    await this.#opened[Symbol.asyncDispose]();
  }

  async #follow(after: number): Promise<void> {
    const { signal } = this.#closing;
    try {
      this.#completing = this.#complete(signal);
      const events = this.#observer.follow({ after, signal, paceMs: eventPaceMs });
      for await (const stored of events) this.#take(stored);
      await this.#completing;
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /** What is not needed for the first screen, or would make it late. What fails keeps nothing else back. */
  async #complete(signal: AbortSignal): Promise<void> {
    const observer = this.#observer;
    const steps = [
      () => this.#members.lookBack(observer, signal),
      () => this.#mail.complete(),
      () => this.#requests.complete(observer),
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
    if (records.running === null) this.#lookingForLead.want();
    if (event.member !== undefined && growing.has(event.type)) records.grow(event.member);
    switch (event.type) {
      case "message-sent":
        this.#mail.wake(event.to);
        break;
      case "message-delivered":
        this.#mail.isDelivered(event.id, event.at);
        break;
      case "line-set-aside":
        if (event.member) this.#mail.wake(event.member);
        break;
      case "warning":
        records.addProblem(event.hint ? `${event.message}. ${event.hint}` : event.message);
        break;
      case "task-change":
      case "request-change":
      case "turn-end":
        this.#looking.want();
    }
  }

  #takePast(event: AgentEvent): void {
    this.#members.take(event);
    if (event.type === "message-delivered") this.#mail.isDelivered(event.id, event.at);
    else this.live.take(event);
  }

  async #readTasks(): Promise<void> {
    const { records } = this.#options;
    const tasks = await this.#observer.tasks();
    for (const task of tasks) records.setTask(taskView(task));
    records.keepOnly("tasks", new Set(tasks.map(({ id }) => id)));
  }

  #paced(paceMs: number, work: () => Promise<void>): Paced {
    const { clock, onFailure } = this.#options;
    return this.#opened.use(new Paced({ clock, paceMs, work, onFailure }));
  }
}

/** Events after which a transcript has more than before. */
const growing: ReadonlySet<AgentEvent["type"]> = new Set<AgentEvent["type"]>([
  ...(["run-start", "message-delivered", "tool-call", "tool-result", "turn-end"] as const),
  ...(["compaction-end", "run-end"] as const),
]);
