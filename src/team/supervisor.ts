import type { SetAsideLine } from "../mailbox/mailbox.ts";
import { lead, type MemberName, system, user } from "../protocol/ids.ts";
import type { Message, PermissionMode } from "../protocol/message.ts";
import type { MemberRecord, MemberStatus } from "../protocol/team.ts";
import type { SpawnRequest } from "../tools/team/team-access.ts";
import { reviewSpawn, reviewTask } from "./hooks/team-hooks.ts";
import { watchForHooks } from "./hooks/watch-for-hooks.ts";
import { mailOfLanding } from "./landings/landing-mail.ts";
import { TeamLandings } from "./landings/team-landings.ts";
import { ChatterGuard } from "./members/chatter-guard.ts";
import { CrashReports } from "./members/crash-reports.ts";
import { LocalMember } from "./members/local-member.ts";
import { isCarriedOut, type OrderHandlers } from "./members/mail-orders.ts";
import {
  type LeadSettings,
  leadDefinition,
  type MemberContext,
  type MemberDefinition,
  teammateDefinition,
} from "./members/member-definition.ts";
import { isBusy, type MemberHandle, type MemberOrder } from "./members/member-handle.ts";
import { Members } from "./members/members.ts";
import type { Removal } from "./members/removals.ts";
import { resume } from "./members/resume.ts";
import { settleRun } from "./members/run-settlement.ts";
import { type SpawnedMember, Spawner } from "./members/spawner.ts";
import { type StopOrder, TeamStop } from "./members/team-stop.ts";
import { isWorthwhile } from "./members/wake-policy.ts";
import { ModelChoices, type ModelSetting } from "./protocols/model-choices.ts";
import { notTheirs } from "./protocols/permission-orders.ts";
import { openProtocols, type Protocols } from "./protocols/protocols.ts";
import { reportRequest } from "./protocols/report-request.ts";
import { ofLead } from "./roles/lead-role.ts";
import type { SupervisorOptions } from "./supervisor-options.ts";
import { TeamPause } from "./team-pause.ts";
import type { TypedCallsOptions } from "./typed-calls.ts";
import { withdrawTypedQuestions } from "./typed-questions.ts";

/** Behind all events, in case one was lost. */
const sweepMs = 10_000;

/** Owns the loops of a team's members: wakes, opens, ends and settles them. */
export class Supervisor {
  readonly options: SupervisorOptions;
  readonly members = new Members((name) => this.#changed(name));
  readonly protocols: Protocols;
  readonly models: ModelChoices;
  /** The work of members with checkouts, on its way to the target. */
  readonly landings: TeamLandings;
  /** Keeps all members from running for a while. */
  readonly pause: TeamPause;
  readonly #guard: ChatterGuard;
  readonly #spawner: Spawner;
  readonly #teamStop: TeamStop;
  readonly #crashes: CrashReports;
  #stops: (() => void)[] = [];
  /** Teammates that an earlier process has spawned, until they are spawned again. */
  readonly #restored = new Set<MemberName>();
  #isClosing = false;

  private constructor(options: SupervisorOptions) {
    const { members } = this;
    this.options = options;
    this.pause = new TeamPause({
      members,
      isSettled: () => this.#isSettled,
      onEnd: () => this.#lookAgain(),
    });
    this.protocols = openProtocols({
      ...options,
      members,
      isPaused: () => this.pause.isOn,
      rules: options.lead.rules,
      reviewTask: (task) => reviewTask(options.hooks(), task, options.onWarning),
      checkouts: { retire: (name) => this.#retireCheckout(name) },
      end: (name, reason) => this.end(name, { reason, expected: true }),
    });
    const { keeper, hub, post } = this.protocols;
    this.landings = new TeamLandings({
      ...{ ...options, ...options.landing },
      tell: (landing, files) =>
        mailOfLanding(landing, files, { post, roster: () => keeper.read() }),
      tellProblem: async (content) =>
        void (await post.send(lead, { type: "message", from: system, content })),
      onRest: () => members.changed(),
    });
    this.models = new ModelChoices({
      ...{ ...options, keeper, hub, living: () => members.living },
      define: (record, settings) => this.#define(record, settings),
    });
    const { models } = this;
    this.#guard = new ChatterGuard({
      isTeammate: (name) => members.isTeammate(name),
      onLifted: () => this.#wakeAll(),
    });
    this.#crashes = new CrashReports({
      ...options,
      ...this.protocols,
      onSettled: () => members.changed(),
    });
    this.#spawner = new Spawner({
      ...options,
      members,
      protocols: this.protocols,
      get lead() {
        return models.lead;
      },
      check: (record) => options.checkMember(this.#definitionOf(record)),
      checkGiven: (record) => options.checkGiven(this.#definitionOf(record)),
      open: (record) => this.#openTeammate(record),
      leadsMode: () => this.#leadsMode(),
      review: (spawn) => reviewSpawn(options.hooks(), spawn, options.onWarning),
      onSpawn: (name) => {
        this.#restored.delete(name);
        this.#guard.reset(name);
      },
    });
    this.#teamStop = new TeamStop({
      ...{ members, spawner: this.#spawner, ...this.protocols },
      isRestored: (name) => this.#restored.has(name),
      end: (name, removal) => this.end(name, removal),
    });
  }

  /** Opens the lead and everybody who was in the team, each where it was. */
  static async open(options: SupervisorOptions): Promise<Supervisor> {
    const supervisor = new Supervisor(options);
    const { protocols, members } = supervisor;
    await withdrawTypedQuestions(options.store);
    for (const { name } of (await protocols.keeper.read()).members) supervisor.#restored.add(name);
    await resume({
      ...{ protocols, members, checkouts: options.checkouts, onWarning: options.onWarning },
      openLead: () => supervisor.#openLead(),
      open: (record) => supervisor.#openTeammate(record),
      ...{ lead: options.lead, toolNames: options.toolNames, roles: options.roles },
    });
    return supervisor;
  }

  start(): void {
    const { store, clock, onWarning } = this.options;
    const { dispatch, hub, post } = this.protocols;
    this.landings.start();
    for (const member of this.members.all) void member.order({ type: "start" });
    dispatch.start();
    const sweep = () => {
      this.#wakeAll();
      stopSweep = clock.schedule(sweepMs, sweep);
    };
    let stopSweep = clock.schedule(sweepMs, sweep);
    const hookWatch = watchForHooks(this);
    this.#stops = [
      () => stopSweep(),
      ...(hookWatch ? [hookWatch] : []),
      store.requests.onChange((request) =>
        reportRequest(request, {
          ...{ hub, post, onWarning },
          showWaiting: (name, detail) =>
            void this.members.get(name)?.order({ type: "show-waiting", detail }),
        }),
      ),
      store.landings.onChange(({ id, member, state, target, reason }) => {
        hub.say({ type: "landing-change", member, id, state, target, ...(reason && { reason }) });
      }),
      store.tasks.onChange(({ id, status, owner }) => {
        hub.say({ type: "task-change", id, status, ...(owner && { member: owner }) });
      }),
    ];
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** True while nobody works and nothing is under way by which somebody will. */
  get isQuiet(): boolean {
    const { shutdowns } = this.protocols;
    return (
      !this.members.living.some(isBusy) &&
      this.#isSettled &&
      !shutdowns.isAnyOpen &&
      !this.pause.isOn &&
      this.landings.isAtRest &&
      !(this.options.waitsForPerson && this.protocols.plans.isAnyForPerson)
    );
  }

  /** True while no member is being spawned or ended, and no task given out. */
  get #isSettled(): boolean {
    const { dispatch, removals } = this.protocols;
    const isChanging = removals.isAnyUnderWay || this.#spawner.isAnyUnderWay;
    return dispatch.isAsleep && !isChanging && !this.#crashes.isAnyOpen;
  }

  #wakeAll(): void {
    for (const member of this.members.living) void member.order({ type: "wake" });
  }

  #lookAgain(): void {
    this.#wakeAll();
    this.protocols.dispatch.wake();
    this.members.changed();
  }

  /** Spawns a teammate, or wakes the one of that name with the new prompt. Throws where it cannot be as asked. */
  spawn(by: MemberName, request: SpawnRequest): Promise<SpawnedMember> {
    return this.#spawner.spawn(by, request);
  }

  /** Ends a teammate for good. Resolves when it is gone. */
  async end(name: MemberName, removal: Removal): Promise<void> {
    await this.#spawner.settled(name);
    const { removals } = this.protocols;
    const member = this.members.get(name);
    const { reason } = removal;
    if (member) await removals.end(name, removal, () => member.order({ type: "end", reason }));
    else await removals.endAbsent(name, removal);
    this.#changed();
  }

  /**
   * The person's order: a teammate ends without being asked; the lead ends its run, with everybody who
   * is there or being spawned.
   */
  async stop(name: MemberName, order?: StopOrder): Promise<void> {
    const removal = { reason: "the person stopped it", expected: true };
    if (name !== lead) return this.end(name, removal);
    await this.#teamStop.stopAll(removal, order);
  }

  /** Changes a member's mode for the person. A teammate's is never wider than the lead's. */
  setMode(name: MemberName, mode: PermissionMode): Promise<void> {
    const member = this.members.require(name);
    return this.protocols.permissions.setMode(member, mode, this.#widestModeOf(name));
  }

  /** Changes a member's model or effort for the person, or those of `all`. */
  async setModel(name: MemberName | "all", setting: ModelSetting): Promise<void> {
    if (name !== "all") {
      // A member that is being spawned again is the new one.
      await this.#spawner.settled(name);
      this.members.requireLiving(name);
    }
    await this.models.set(name, setting);
  }

  /** Stops all members between two writes; they continue at the next start. */
  async leave(): Promise<void> {
    const { shutdowns, dispatch, removals, keeper, hub } = this.protocols;
    this.#isClosing = true;
    this.members.changed();
    for (const stop of this.#stops) stop();
    shutdowns[Symbol.dispose]();
    await dispatch.stop();
    await this.#spawner.close();
    await this.#orderAll({ type: "settle-orders" });
    await removals.settled();
    await this.#orderAll({ type: "leave" });
    await this.#keepAll();
    await this.landings.close();
    await keeper.settled();
    hub.close();
  }

  /** The last work of a member that has ended lands like all its work. */
  async #retireCheckout(name: MemberName): Promise<void> {
    await this.landings.handIn(name);
    const hooks = this.options.commandHooks();
    const checkout = hooks?.has("WorktreeRemove")
      ? await this.options.store.checkouts.get(name)
      : undefined;
    await this.options.checkouts.retire(name);
    if (checkout) await hooks?.checkoutRetired(name, checkout.path);
  }

  /** What members have done whose runs were cut short. */
  async #keepAll(): Promise<void> {
    const { checkouts } = this.options;
    const ran = this.members.all.filter(({ name, state }) => name !== lead && state.runs > 0);
    await Promise.all(ran.map(({ name }) => checkouts.tryToKeep(name)));
  }

  async #orderAll(order: MemberOrder): Promise<void> {
    await Promise.all(this.members.all.map((member) => member.order(order)));
  }

  async #openLead(): Promise<MemberHandle> {
    const definition = this.#define(undefined, this.options.lead);
    if (definition.ofRole) await ofLead(this.options.checkGiven(definition));
    return this.#open(definition);
  }

  #openTeammate(record: MemberRecord): Promise<MemberHandle> {
    return this.#open(this.#definitionOf(record));
  }

  #definitionOf(record: MemberRecord): MemberDefinition {
    return this.#define(record, this.models.lead);
  }

  /** The lead has no record. */
  #define(record: MemberRecord | undefined, settings: LeadSettings): MemberDefinition {
    const rules = this.protocols.permissions.rules.inForce;
    return record
      ? teammateDefinition(record, settings, rules)
      : leadDefinition({ ...settings, rules });
  }

  async #open(definition: MemberDefinition): Promise<MemberHandle> {
    const { name } = definition;
    const { options, protocols } = this;
    return LocalMember.open({
      name,
      clock: options.clock,
      goesOnByItself: name !== lead || (await this.#isLeadAsking()),
      isPaused: () => this.pause.isOn,
      orders: this.#orders,
      open: async (carryOut, choice) => {
        // For a member that is opened again after a crash, rules that were added meanwhile hold, too.
        const rules = protocols.permissions.rules.inForce;
        const current = { ...definition, rules, ...choice };
        const parts = await options.openMember(current, this.#contextOf(name, carryOut));
        // The first hooks of a team may be those of this member's role.
        options.commandHooks()?.reportTo((event) => protocols.hub.say(event));
        return parts;
      },
      isWorthwhile: (unread, state) => this.#isWorthwhile(unread, { name, state }),
      settle: (run, { hasEnded }) =>
        settleRun({ name, hasEnded }, run, {
          ...{ ...options, ...protocols, guard: this.#guard },
          handIn: (member) => this.landings.handIn(member),
          isTeammate: (other) => this.members.isTeammate(other),
        }),
      onEvent: (event) => protocols.hub.emit(event),
      onStatus: (status, detail) => this.#onStatus(name, status, detail),
      onCrash: (reason) => this.#crashes.begin(name, reason),
      onLateMail: () => this.#onLateMail(name),
      onWarning: options.onWarning,
    });
  }

  /**
   * True where a call of the lead waits for a person or program to decide it. The lead continues to
   * wait, so that the decision has an effect: its model is not asked before.
   */
  async #isLeadAsking(): Promise<boolean> {
    const { store, waitsForPerson } = this.options;
    if (!waitsForPerson) return false;
    const asked = await store.requests.list({ type: "permission", state: "pending", from: lead });
    return asked.length > 0;
  }

  #isWorthwhile(unread: readonly Message[], member: Pick<MemberHandle, "name" | "state">): boolean {
    const isAnyTeammateBusy = () => this.members.isAnyTeammateBusy;
    return isWorthwhile(unread, member, { guard: this.#guard, isAnyTeammateBusy });
  }

  #contextOf(name: MemberName, carryOut: MemberContext["carryOut"]): MemberContext {
    return {
      tools: this.options.teamTools(name, this),
      isWorthwhile: (unread) => this.#isWorthwhile(unread, this.members.require(name)),
      reportMail: (unread) => this.protocols.sent.report(name, unread),
      carryOut,
      isLeaving: () => this.#isClosing,
      onRefused: (id) => {
        this.protocols.hub.say({ type: "message-withdrawn", member: name, id });
      },
      onSetAside: (line) => this.#onSetAside(name, line),
      gate: this.protocols.plans.gateOf(name),
      widestMode: () => this.#widestModeOf(name),
    };
  }

  /** How the team carries out what comes to a member by signed mail. */
  get #orders(): OrderHandlers {
    const { permissions, plans } = this.protocols;
    const { requests } = this.options.store;
    return {
      permission_response: (member, order) => permissions.answer(member, order),
      plan_approval_response: async (member, order) => {
        const request = await requests.get(order.request_id);
        if (request.from !== member) throw notTheirs(request, member);
        if (isCarriedOut(request, order)) return;
        await plans.record(user, request.id, { ...order, cause: order.id });
      },
      shutdown_request: (name, { id }, receipt) => this.stop(name, { id, ...receipt }),
      // By mail, nobody's mode becomes wider than the lead's: not the lead's own either.
      mode_set_request: (name, { mode }) =>
        permissions.setMode(this.members.require(name), mode, this.#leadsMode()),
      withdraw_request: async (name, { message_id: id, from: sender }) =>
        this.members.require(name).order({ type: "withdraw", id, sender }),
      landing_decision: (_, { landing_id: id, commit, decision, reason }) =>
        this.landings.decide({ id, commit, decision, reason }),
      team_permission_update: (_, order) => permissions.rules.takeFromMail(order),
    };
  }

  /** A member as it is now, for a call that is made in its place. */
  async typedCallContext(
    name: MemberName,
  ): Promise<Pick<TypedCallsOptions, "definition" | "gate">> {
    const { state } = this.members.requireLiving(name);
    const { keeper, plans } = this.protocols;
    const record = (await keeper.read()).members.find((each) => each.name === name);
    const definition = this.#define(record, this.models.lead);
    return { definition: { ...definition, mode: state.mode }, gate: plans.gateOf(name) };
  }

  #widestModeOf(name: MemberName): PermissionMode {
    return name === lead ? "bypassPermissions" : this.#leadsMode();
  }

  #leadsMode(): PermissionMode {
    return this.members.lead.state.mode;
  }

  #changed(name?: MemberName): void {
    if (this.#isClosing) return;
    const { members, protocols } = this;
    if (name !== undefined && name !== lead && !members.isBusy(name)) {
      protocols.dispatch.wake();
      // Talk among teammates wakes the lead when no teammate works.
      if (!members.isAnyTeammateBusy) void members.get(lead)?.order({ type: "wake" });
    }
    members.changed();
  }

  #onStatus(name: MemberName, status: MemberStatus, detail: string | undefined): void {
    const { hub, keeper } = this.protocols;
    const shown = { status, ...(detail && { detail }) };
    hub.say({ type: "member-change", member: name, ...shown });
    if (name === lead) return;
    const keeping = keeper.change(name, ({ detail: _, ...member }) => ({ ...member, ...shown }));
    keeping.catch((error: unknown) =>
      this.options.onWarning(`The roster could not be written: ${String(error)}`),
    );
  }

  #onSetAside(member: MemberName, { id, reason }: SetAsideLine): void {
    this.protocols.hub.showLogged({ type: "line-set-aside", member, id, reason });
    this.options.onWarning(`A line in the mailbox of '${member}' was set aside: ${reason}`);
  }

  #onLateMail(name: MemberName): void {
    if (this.#isClosing) return;
    this.#returnLateMail(name).catch((error: unknown) =>
      this.options.onWarning(`Mail to '${name}' could not be given back: ${String(error)}`),
    );
  }

  /** Mail for a member that is being spawned again is for its successor. */
  async #returnLateMail(name: MemberName): Promise<void> {
    await this.#spawner.settled(name);
    await this.protocols.removals.returnLateMail(name, () => {
      const { hasEnded } = this.members.require(name).state;
      const hasSuccessor = this.#spawner.isSpawning(name) || !hasEnded;
      return !hasSuccessor && !this.#isClosing;
    });
  }
}
