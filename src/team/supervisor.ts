import type { Agent } from "../agent/agent.ts";
import { wakes, wakesInTheEnd } from "../agent/wakes.ts";
import { TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { Listeners } from "../lib/listeners.ts";
import type { Secrets } from "../lib/secrets.ts";
import { Serial } from "../lib/serial.ts";
import { lead, type MemberName, type MessageId, system, user } from "../protocol/ids.ts";
import type { Message, PermissionMode } from "../protocol/message.ts";
import type { Request } from "../protocol/request.ts";
import type { Member } from "../protocol/team.ts";
import type { SpawnRequest } from "../tools/team/colleagues.ts";
import { EventHub } from "./event-hub.ts";
import { ChatterGuard } from "./members/chatter-guard.ts";
import { type Departure, Departures } from "./members/departures.ts";
import {
  type LeadSettings,
  leadDefinition,
  type MemberDefinition,
  type Seat,
  teammateDefinition,
} from "./members/member-definition.ts";
import { restoredRecords } from "./members/restored-records.ts";
import { RosterKeeper } from "./members/roster-keeper.ts";
import { reportOf } from "./members/run-report.ts";
import { isSameMember, spawnedRecord } from "./members/spawning.ts";
import { type OpenMember, TeamMember } from "./members/team-member.ts";
import { messageIdFor } from "./message-id-for.ts";
import { Post } from "./post.ts";
import { ControlMail } from "./protocols/control-mail.ts";
import { PermissionOrders } from "./protocols/permission-orders.ts";
import { Plans } from "./protocols/plans.ts";
import { Shutdowns } from "./protocols/shutdowns.ts";
import { TaskDispatch } from "./protocols/task-dispatch.ts";
import { TeamTasks } from "./protocols/team-tasks.ts";
import type { TeamStore } from "./team-store.ts";

export interface SupervisorOptions {
  store: TeamStore;
  clock: Clock;
  secrets: Secrets;
  lead: LeadSettings;
  /** Makes a member that can run. It must be as defined, or throw. */
  openMember(definition: MemberDefinition, seat: Seat): Promise<OpenMember>;
  /** Makes the tools by which a member works with the others. */
  seatTools(self: MemberName, supervisor: Supervisor): Seat["tools"];
  /** The tools to work with that there are. */
  toolNames: readonly string[];
  checkModel(id: string): void;
  /** Where texts go that are too long for a message. */
  outputs: string;
  keepWhole(path: string, text: string): Promise<void>;
  autoclaim: boolean;
  maxTeammates: number;
  graceMs: number;
  planApprover: MemberName;
  onWarning(message: string): void;
}

/** So much mail that is not worth a run is taken in by one all the same, before the mailbox is full. */
const tooMuchMail = 2_000;
/** Behind all events, in case one was lost. */
const sweepMs = 10_000;

/** Owns the loops of a team's members, and what they have to do with each other. */
export class Supervisor {
  readonly hub: EventHub;
  readonly post: Post;
  readonly keeper: RosterKeeper;
  readonly plans: Plans;
  readonly shutdowns: Shutdowns;
  readonly tasks: TeamTasks;
  readonly permissions: PermissionOrders;
  readonly options: SupervisorOptions;
  readonly #dispatch: TaskDispatch;
  readonly #departures: Departures;
  readonly #control: ControlMail;
  readonly #guard: ChatterGuard;
  readonly #members = new Map<MemberName, TeamMember>();
  readonly #changes = new Listeners<void>();
  readonly #spawns = new Serial();
  #stops: (() => void)[] = [];
  #isClosing = false;

  private constructor(options: SupervisorOptions) {
    const { store, clock, secrets, onWarning } = options;
    const { requests, tasks: board } = store;
    this.options = options;
    this.hub = new EventHub(store.events, clock);
    this.post = new Post({ store, hub: this.hub, secrets });
    this.keeper = new RosterKeeper(store.roster, store.signature);
    const { post, keeper, hub } = this;
    this.plans = new Plans({ requests, keeper, post, approver: options.planApprover });
    this.shutdowns = new Shutdowns({
      requests,
      post,
      clock,
      graceMs: options.graceMs,
      end: (name, reason) => this.end(name, { reason, expected: true }),
      onWarning,
    });
    const { plans, shutdowns } = this;
    this.tasks = new TeamTasks({
      board,
      post,
      clock,
      roster: () => keeper.read(),
      onTaken: (name) => plans.onTaskTaken(name),
    });
    const { tasks } = this;
    const onSleep = () => this.#changed();
    const idle = () => this.#claimants();
    this.#dispatch = new TaskDispatch({ board, tasks, idle, onSleep, onWarning });
    this.#departures = new Departures({
      ...{ keeper, post, hub, tasks, plans, shutdowns, requests, onWarning },
    });
    this.permissions = new PermissionOrders({
      ...{ requests, keeper, post, rules: options.lead.rules },
      members: () => this.living,
    });
    this.#control = new ControlMail({ orders: this.#orders(), onWarning });
    this.#guard = new ChatterGuard({ isTeammate: (name) => this.#isTeammate(name) });
  }

  /** Opens the lead and everybody who was in the team, each where it was. */
  static async open(options: SupervisorOptions): Promise<Supervisor> {
    const supervisor = new Supervisor(options);
    await supervisor.permissions.restore();
    const settings = { ...options.lead, rules: supervisor.permissions.rules };
    supervisor.#members.set(lead, await supervisor.#open(leadDefinition(settings)));
    await supervisor.#restore();
    return supervisor;
  }

  get lead(): TeamMember {
    return this.require(lead);
  }

  get teammates(): TeamMember[] {
    return [...this.#members.values()].filter(({ name }) => name !== lead);
  }

  /** Everybody who has not ended, the lead first. */
  get living(): TeamMember[] {
    return [...this.#members.values()].filter(({ hasEnded }) => !hasEnded);
  }

  member(name: MemberName): TeamMember | undefined {
    return this.#members.get(name);
  }

  require(name: MemberName): TeamMember {
    const member = this.#members.get(name);
    if (member) return member;
    throw new TeamError("member-unknown", `'${name}' does not run`, {
      hint: `Running: ${[...this.#members.keys()].join(", ")}.`,
    });
  }

  /** Calls back whenever anything about any member may have changed. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** True while nobody works and nothing is under way by which somebody will. */
  get isQuiet(): boolean {
    return (
      this.living.every(({ isBusy }) => !isBusy) &&
      this.#dispatch.isAsleep &&
      this.#control.isIdle &&
      !this.#departures.isAnyUnderWay &&
      !this.shutdowns.isAnyOpen
    );
  }

  /** Mail that was given back in this process. */
  get returned(): readonly MessageId[] {
    return this.#departures.returned;
  }

  /** Has everybody who waits for a change look again. */
  lookAgain(): void {
    this.#changes.emit();
  }

  isBusy(name: MemberName): boolean {
    return this.#members.get(name)?.isBusy ?? false;
  }

  start(): void {
    const { store, clock } = this.options;
    for (const member of this.#members.values()) member.start();
    this.#dispatch.start();
    const sweep = () => {
      for (const member of this.living) member.wake();
      stopSweep = clock.schedule(sweepMs, sweep);
    };
    let stopSweep = clock.schedule(sweepMs, sweep);
    this.#stops = [
      () => stopSweep(),
      store.requests.onChange((request) => this.#onRequest(request)),
      store.tasks.onChange(({ id, status, owner }) => {
        this.hub.say({ type: "task-change", id, status, ...(owner && { member: owner }) });
      }),
    ];
  }

  spawn(by: MemberName, request: SpawnRequest): Promise<Member> {
    return this.#spawns.run(() => this.#spawn(by, request));
  }

  /** Ends a teammate for good. Resolves when it is gone. */
  async end(name: MemberName, departure: Departure): Promise<void> {
    const member = this.require(name);
    const { reader } = member.opened;
    const stop = (reason: string) => member.end(reason);
    await this.#departures.end({ name, reader, stop }, departure);
    this.#changed();
  }

  /** Stops everybody between two writes; all of it goes on at the next start. */
  async leave(): Promise<void> {
    this.#isClosing = true;
    for (const stop of this.#stops) stop();
    this.shutdowns[Symbol.dispose]();
    await this.#dispatch.stop();
    await Promise.all([...this.#members.values()].map((member) => member.leave()));
    await this.keeper.settled();
    this.hub.close();
  }

  async #spawn(by: MemberName, request: SpawnRequest): Promise<Member> {
    const { options, keeper } = this;
    const team = await keeper.read();
    const record = spawnedRecord(request, {
      team,
      lead: { ...options.lead, mode: this.lead.opened.permissions.mode },
      toolNames: options.toolNames,
      maxTeammates: options.maxTeammates,
      isBusy: (name) => this.teammates.some((each) => each.name === name && each.isBusy),
      checkModel: options.checkModel,
      now: options.clock.now(),
    });
    const before = team.members.find(({ name }) => name === record.name);
    const member = await this.#seat(record, before, request.fresh === true);
    await this.plans.begin(record.name, record.plan_required === true);
    await keeper.enlist(record);
    this.hub.say({ type: "member-change", member: record.name, status: "working" });
    await this.post.send(record.name, { type: "message", from: by, content: request.prompt });
    if (this.#members.get(record.name) !== member) {
      this.#members.set(record.name, member);
      member.start();
    }
    member.wake();
    return record;
  }

  /** The member that is open already, where it can go on as it is, or one opened anew. */
  async #seat(record: Member, before: Member | undefined, isFresh: boolean): Promise<TeamMember> {
    const { name } = record;
    const known = this.#members.get(name);
    if (known && before && !known.hasEnded && !isFresh && isSameMember(record, before)) {
      known.opened.permissions.setMode(record.permission_mode ?? "default");
      return known;
    }
    await known?.leave();
    if (isFresh) await this.options.store.forget(name);
    return this.#open(teammateDefinition(record, this.options.lead, this.permissions.rules));
  }

  #open(definition: MemberDefinition): Promise<TeamMember> {
    const { name } = definition;
    const { options, hub } = this;
    const isLead = name === lead;
    return TeamMember.open({
      name,
      hub,
      clock: options.clock,
      goesOnByItself: !isLead,
      open: () =>
        options.openMember(definition, {
          tools: options.seatTools(name, this),
          isWorthwhile: (unread) => this.#isWorthwhile(unread, this.#members.get(name)),
          gate: this.plans.gateOf(name),
          widestMode: () => (isLead ? "bypassPermissions" : this.lead.opened.permissions.mode),
        }),
      isWorthwhile: (unread, member) => this.#isWorthwhile(unread, member),
      settle: (member, agent) => (isLead ? Promise.resolve() : this.#settle(member, agent)),
      onStatus: (status, detail) => {
        hub.say({ type: "member-change", member: name, status, ...(detail && { detail }) });
        if (!isLead)
          this.#keep(name, ({ detail: _, ...member }) => ({
            ...member,
            status,
            ...(detail && { detail }),
          }));
      },
      onCrash: (reason) => this.#onCrash(name, reason),
      onChange: () => this.#changed(name),
      onMail: () => this.#onMail(name),
    });
  }

  async #restore(): Promise<void> {
    const { store, onWarning } = this.options;
    const team = await this.keeper.read();
    const { alive, ending } = restoredRecords(team, store, onWarning);
    for (const record of ending) {
      const { reader } = await store.openMember(record.name, { onSetAside: () => undefined });
      await this.#departures.finish({ name: record.name, reader }, record.ending);
    }
    for (const record of alive) await this.#restoreMember(record);
    const names = this.teammates.map(({ name }) => name);
    const since = (name: MemberName) => alive.find((it) => it.name === name)?.spawned_at ?? "";
    await this.shutdowns.restore(names, since);
  }

  async #restoreMember(record: Member): Promise<void> {
    const { lead: settings, onWarning } = this.options;
    const { name } = record;
    try {
      await this.keeper.enlist(record);
      await this.plans.restore(record);
      const definition = teammateDefinition(record, settings, this.permissions.rules);
      const member = await this.#open(definition);
      if (record.status === "failed") member.markFailed(record.detail ?? "unknown");
      this.#members.set(name, member);
      if (!member.opened.agent.lastRun.isOpen) await this.tasks.callToMind(name);
    } catch (error) {
      // As it was asked for, or not at all: the person or the lead can spawn it differently.
      if (!(error instanceof TeamError)) throw error;
      const detail = [`${error.message}.`, error.hint].filter(Boolean).join(" ");
      onWarning(`'${name}' cannot go on: ${detail}`);
      await this.keeper.change(name, (member) => ({ ...member, status: "failed", detail }));
    }
  }

  async #settle({ name, hasEnded }: TeamMember, { lastRun }: Agent): Promise<void> {
    const { outputs, keepWhole } = this.options;
    const end = lastRun.unsettledEnd;
    if (!end) return;
    const isTeammate = (other: MemberName) => this.#isTeammate(other);
    const report = await reportOf({ self: name, run: lastRun, isTeammate, outputs, keepWhole });
    const isNews = !hasEnded || lastRun.answers.length > 0;
    if (report && isNews) await this.post.send(lead, report);
    if (hasEnded) return;
    await this.tasks.afterRun(name, { end, remindedOf: lastRun.remindedOf });
    const { wakers, calledTools } = lastRun;
    const muted = this.#guard.note({ self: name, wakers, calledTools });
    if (muted.length > 0) await this.#tellOfChatter(name, muted, end.reportId ?? "");
  }

  async #tellOfChatter(name: MemberName, peers: MemberName[], cause: string): Promise<void> {
    await this.post.send(lead, {
      id: messageIdFor(`chatter ${name} ${cause}`, this.options.clock.now()),
      type: "message",
      from: system,
      content: `${name} and ${peers.join(", ")} have kept each other awake with nothing but messages. Their mail to each other no longer wakes them, until they have something else to do.`,
    });
  }

  #isWorthwhile(unread: readonly Message[], member: TeamMember | undefined): boolean {
    const name = member?.name;
    if (!name || unread.length === 0) return false;
    if (member.failure !== undefined) {
      return unread.some(
        (it) => wakes(it) && (it.from === user || (it.from === lead && name !== lead)),
      );
    }
    if (unread.length >= tooMuchMail) return true;
    if (name !== lead) return unread.some((it) => wakes(it) && !this.#guard.isMuted(name, it.from));
    return unread.some(wakes) || (unread.some(wakesInTheEnd) && !this.#isAnyTeammateBusy());
  }

  #isAnyTeammateBusy(): boolean {
    return this.teammates.some(({ isBusy }) => isBusy);
  }

  #isTeammate(name: MemberName): boolean {
    return name !== lead && this.#members.has(name);
  }

  /** The teammates that may be given a task, longest idle first. */
  #claimants(): MemberName[] {
    if (!this.options.autoclaim) return [];
    return this.teammates
      .filter(({ isFree, name }) => isFree && !this.plans.isPending(name))
      .sort((a, b) => a.idleSince - b.idleSince)
      .map(({ name }) => name);
  }

  #changed(name?: MemberName): void {
    if (this.#isClosing) return;
    if (name !== undefined && name !== lead && !this.isBusy(name)) {
      this.#dispatch.wake();
      // Talk among teammates wakes the lead when nobody works any more.
      if (!this.#isAnyTeammateBusy()) this.#members.get(lead)?.wake();
    }
    this.#changes.emit();
  }

  #onMail(name: MemberName): void {
    const member = this.#members.get(name);
    if (!member) return;
    const { reader } = member.opened;
    if (member.hasEnded && !this.#isClosing) {
      void this.#departures.returnMail({ name, reader }).catch((error: unknown) => {
        this.options.onWarning(`Mail to '${name}' could not be given back: ${String(error)}`);
      });
      return;
    }
    void this.#control.look(name, reader).then(() => this.#changed());
  }

  #onCrash(name: MemberName, reason: string): void {
    const { onWarning, clock } = this.options;
    onWarning(`'${name}' has failed: ${reason}`);
    if (name === lead) return;
    const telling = this.post.send(lead, {
      id: messageIdFor(`${name} crashed`, clock.now()),
      type: "teammate_terminated",
      from: system,
      teammate: name,
      reason,
      expected: false,
      content: `${name} has failed: ${reason}. A message starts it again.`,
    });
    telling.catch((error: unknown) => onWarning(`The lead could not be told: ${String(error)}`));
    this.tasks.releaseAll(name).catch((error: unknown) => onWarning(String(error)));
  }

  #onRequest(request: Request): void {
    const { id, type: request_type, from, state } = request;
    this.hub.say({ type: "request-change", member: from, id, request_type, state });
    if (request_type !== "permission") return;
    const isOpen = state === "pending";
    this.#members.get(from)?.showWaiting(isOpen ? "waiting for approval" : undefined);
    if (isOpen && from !== lead) this.#passOn(request);
  }

  /** The question is on disk and whoever watches has been told: this is for the lead's mailbox. */
  #passOn({ id, from, subject, created_at }: Request): void {
    const sending = this.post.send(lead, {
      id: messageIdFor(`permission ${id}`, new Date(created_at)),
      type: "permission_request",
      from,
      request_id: id,
      tool: String(subject.tool),
      input: subject.input,
      reason: String(subject.reason),
    });
    sending.catch((error: unknown) => this.options.onWarning(String(error)));
  }

  #keep(name: MemberName, edit: (member: Member) => Member): void {
    this.keeper.change(name, edit).catch((error: unknown) => {
      this.options.onWarning(`The roster could not be written: ${String(error)}`);
    });
  }

  #orders(): ConstructorParameters<typeof ControlMail>[0]["orders"] {
    const { permissions, plans } = this;
    return {
      answerPermission: (member, order) => permissions.answer(member, order),
      answerPlan: async (_, { request_id, approve, feedback, hash }) => {
        await plans.record(user, request_id, { approve, feedback, hash });
      },
      stop: (name) => this.stop(name),
      setMode: (name, { mode }) => this.setMode(name, mode),
      addRule: async (_, order) => permissions.addRule(order),
    };
  }

  setMode(name: MemberName, mode: PermissionMode): Promise<void> {
    return this.permissions.setMode(this.require(name), mode, this.lead.opened.permissions.mode);
  }

  /** The person's word: a teammate ends without being asked; the lead ends its run, with everybody. */
  async stop(name: MemberName): Promise<void> {
    const departure = { reason: "the person stopped it", expected: true };
    if (name !== lead) return this.end(name, departure);
    this.lead.interrupt();
    const living = this.teammates.filter(({ hasEnded }) => !hasEnded);
    await Promise.all(living.map((member) => this.end(member.name, departure)));
  }
}
