import type { SetAside } from "../mailbox/mailbox.ts";
import { lead, type MemberName } from "../protocol/ids.ts";
import type { PermissionMode } from "../protocol/message.ts";
import type { Member, MemberStatus } from "../protocol/team.ts";
import type { SpawnRequest } from "../tools/team/colleagues.ts";
import { Aftermath } from "./members/aftermath.ts";
import { ChatterGuard } from "./members/chatter-guard.ts";
import type { Departing, Departure } from "./members/departures.ts";
import {
  leadDefinition,
  type MemberDefinition,
  type Seat,
  teammateDefinition,
} from "./members/member-definition.ts";
import { Members } from "./members/members.ts";
import { restoreTeam } from "./members/restore-team.ts";
import { settleRun } from "./members/run-settlement.ts";
import { Spawner } from "./members/spawner.ts";
import { TeamMember } from "./members/team-member.ts";
import { WakePolicy } from "./members/wake-policy.ts";
import { ControlMail } from "./protocols/control-mail.ts";
import { ordersOf } from "./protocols/orders.ts";
import { openProtocols, type Protocols } from "./protocols/protocols.ts";
import type { SupervisorOptions } from "./supervisor-options.ts";

/** Behind all events, in case one was lost. */
const sweepMs = 10_000;

/** Owns the loops of a team's members: wakes, opens, ends and settles them. */
export class Supervisor {
  readonly options: SupervisorOptions;
  readonly members = new Members();
  readonly protocols: Protocols;
  readonly #guard: ChatterGuard;
  readonly #policy: WakePolicy;
  readonly #control: ControlMail;
  readonly #spawner: Spawner;
  readonly #aftermath: Aftermath;
  #stops: (() => void)[] = [];
  readonly #openedAt: Date;
  #isClosing = false;

  private constructor(options: SupervisorOptions) {
    const { members } = this;
    this.options = options;
    this.#openedAt = options.clock.now();
    this.protocols = openProtocols({
      ...options,
      members,
      rules: options.lead.rules,
      end: (name, reason) => this.end(name, { reason, expected: true }),
    });
    this.#guard = new ChatterGuard({
      isTeammate: (name) => members.isTeammate(name),
      onLifted: () => {
        for (const member of members.living) member.wake();
      },
    });
    this.#policy = new WakePolicy({
      guard: this.#guard,
      isAnyTeammateBusy: () => members.isAnyTeammateBusy,
    });
    const onSettled = () => members.changed();
    this.#aftermath = new Aftermath({ ...options, ...this.protocols, onSettled });
    this.#spawner = new Spawner({
      ...options,
      members,
      protocols: this.protocols,
      check: (record) => options.checkMember(this.#definitionOf(record)),
      open: (record) => this.#openTeammate(record),
      leadsMode: () => this.#leadsMode(),
      onSpawn: (name) => this.#guard.reset(name),
    });
    this.#control = new ControlMail({
      orders: ordersOf(this),
      onSettled,
      onWarning: options.onWarning,
    });
  }

  /** Opens the lead and everybody who was in the team, each where it was. */
  static async open(options: SupervisorOptions): Promise<Supervisor> {
    const supervisor = new Supervisor(options);
    const { protocols, members } = supervisor;
    await protocols.permissions.restore();
    const settings = { ...options.lead, rules: protocols.permissions.rules };
    members.add(await supervisor.#open(leadDefinition(settings)));
    await restoreTeam({
      ...{ protocols, members, onWarning: options.onWarning },
      open: (record) => supervisor.#openTeammate(record),
    });
    return supervisor;
  }

  start(): void {
    const { store, clock } = this.options;
    const { dispatch, hub, news } = this.protocols;
    for (const member of this.members.all) member.start();
    // Whoever waits for an answer takes no mail, and it may have come while nobody ran the team.
    for (const { name } of this.members.living) this.#onMail(name);
    dispatch.start();
    const sweep = () => {
      for (const member of this.members.living) member.wake();
      stopSweep = clock.schedule(sweepMs, sweep);
    };
    let stopSweep = clock.schedule(sweepMs, sweep);
    this.#stops = [
      () => stopSweep(),
      store.requests.onChange((request) => news.tell(request)),
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
    const { dispatch, departures, shutdowns } = this.protocols;
    return (
      this.members.living.every(({ isBusy }) => !isBusy) &&
      dispatch.isAsleep &&
      this.#control.isIdle &&
      !departures.isAnyUnderWay &&
      !this.#aftermath.isAnyOpen &&
      !shutdowns.isAnyOpen &&
      !this.#spawner.isAnyUnderWay &&
      !(this.options.waitsForPerson && this.protocols.plans.isAnyForPerson)
    );
  }

  /** Spawns a teammate, or wakes the one of that name with the new prompt. Throws where it cannot be as asked. */
  spawn(by: MemberName, request: SpawnRequest): Promise<Member> {
    return this.#spawner.spawn(by, request);
  }

  /** Ends a teammate for good. Resolves when it is gone. */
  async end(name: MemberName, departure: Departure): Promise<void> {
    await this.#spawner.settled(name);
    const { departures } = this.protocols;
    const member = this.members.get(name);
    if (member) {
      const departing: Departing = {
        name,
        // A member that has crashed is opened again for its end.
        get reader() {
          return member.opened.reader;
        },
        stop: (reason) => member.end(reason),
      };
      await departures.end(departing, departure);
    } else await departures.endAbsent(name, departure);
    this.#changed();
  }

  /**
   * The person's word: a teammate ends without being asked; the lead ends its run, with everybody.
   * A word that was given before this process began is for whoever was there then.
   */
  async stop(name: MemberName, given = this.options.clock.now()): Promise<void> {
    const departure = { reason: "the person stopped it", expected: true };
    if (name !== lead) return this.end(name, departure);
    if (given >= this.#openedAt) this.members.lead.interrupt();
    do {
      await this.#spawner.settled();
      const names = await this.#spawnedBefore(given);
      await Promise.all(names.map((each) => this.end(each, departure)));
    } while (this.#spawner.isAnyUnderWay);
    // Whoever was ending already is gone, too.
    await this.protocols.departures.settled();
  }

  async #spawnedBefore(date: Date): Promise<MemberName[]> {
    const { members } = await this.protocols.keeper.read();
    const since = new Map(members.map((member) => [member.name, member.spawned_at ?? ""]));
    const isAbsent = ({ name, status }: Member) => status !== "shutdown" && !this.members.get(name);
    const there = [...this.members.livingTeammates, ...members.filter(isAbsent)];
    const names = there.map(({ name }) => name);
    return names.filter((name) => (since.get(name) ?? "") <= date.toISOString());
  }

  setMode(name: MemberName, mode: PermissionMode): Promise<void> {
    const member = this.members.require(name);
    return this.protocols.permissions.setMode(member, mode, this.#leadsMode());
  }

  /** Stops everybody between two writes; all of it goes on at the next start. */
  async leave(): Promise<void> {
    const { shutdowns, dispatch, departures, keeper, hub } = this.protocols;
    this.#isClosing = true;
    this.members.changed();
    for (const stop of this.#stops) stop();
    shutdowns[Symbol.dispose]();
    await dispatch.stop();
    await this.#spawner.close();
    await this.#control.settled();
    await departures.settled();
    await Promise.all(this.members.all.map((member) => member.leave()));
    await keeper.settled();
    hub.close();
  }

  #openTeammate(record: Member): Promise<TeamMember> {
    return this.#open(this.#definitionOf(record));
  }

  #definitionOf(record: Member): MemberDefinition {
    return teammateDefinition(record, this.options.lead, this.protocols.permissions.rules);
  }

  #open(definition: MemberDefinition): Promise<TeamMember> {
    const { name } = definition;
    const { options, protocols } = this;
    const isLead = name === lead;
    return TeamMember.open({
      name,
      hub: protocols.hub,
      clock: options.clock,
      goesOnByItself: !isLead,
      open: () => {
        // It may be opened again later: whatever was always allowed in between holds for it.
        const { rules } = protocols.permissions;
        return options.openMember({ ...definition, rules }, this.#seatOf(name));
      },
      isWorthwhile: (unread, member) => this.#policy.isWorthwhile(unread, member),
      settle: async (member, agent) => {
        const { members } = this;
        const isTeammate = (other: MemberName) => members.isTeammate(other);
        const guard = this.#guard;
        await settleRun(member, agent, { ...options, ...protocols, guard, isTeammate });
      },
      onStatus: (status, detail) => this.#onStatus(name, status, detail),
      onCrash: (reason) => this.#aftermath.begin(name, reason),
      onChange: () => this.#changed(name),
      onMail: () => this.#onMail(name),
    });
  }

  #seatOf(name: MemberName): Seat {
    return {
      tools: this.options.seatTools(name, this),
      isWorthwhile: (unread) => this.#policy.isWorthwhile(unread, this.members.require(name)),
      heed: (unread) => this.#control.heed(name, unread),
      isLeaving: () => this.#isClosing,
      onSetAside: (line) => this.#onSetAside(name, line),
      gate: this.protocols.plans.gateOf(name),
      widestMode: () => (name === lead ? "bypassPermissions" : this.#leadsMode()),
    };
  }

  #leadsMode(): PermissionMode {
    return this.members.lead.opened.permissions.mode;
  }

  #changed(name?: MemberName): void {
    if (this.#isClosing) return;
    const { members, protocols } = this;
    if (name !== undefined && name !== lead && !members.isBusy(name)) {
      protocols.dispatch.wake();
      // Talk among teammates wakes the lead when nobody works any more.
      if (!members.isAnyTeammateBusy) members.get(lead)?.wake();
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

  #onSetAside(member: MemberName, { id, reason }: SetAside): void {
    this.protocols.hub.showLogged({ type: "line-set-aside", member, id, reason });
    this.options.onWarning(`A line in the mailbox of '${member}' was set aside: ${reason}`);
  }

  /** Whoever edits the roster's file decides nothing by it. */
  #onMail(name: MemberName): void {
    const member = this.members.get(name);
    if (!member || this.#isClosing) return;
    if (!member.hasEnded) {
      void this.#control.look(name, member.opened.reader);
      return;
    }
    this.#returnLateMail(name).catch((error: unknown) =>
      this.options.onWarning(`Mail to '${name}' could not be given back: ${String(error)}`),
    );
  }

  /** Mail for a member that is being spawned again is for its successor. */
  async #returnLateMail(name: MemberName): Promise<void> {
    await this.#spawner.settled(name);
    const { reader } = this.members.require(name).opened;
    await this.protocols.departures.returnLateMail({ name, reader }, () => {
      const hasSuccessor = this.#spawner.isSpawning(name) || !this.members.require(name).hasEnded;
      return !hasSuccessor && !this.#isClosing;
    });
  }
}
