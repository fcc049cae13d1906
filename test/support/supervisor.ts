import { once } from "node:events";
import type { LastRun, RunEnd, Runner } from "../../src/agent/runner.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { narrowerMode } from "../../src/permissions/modes.ts";
import type { Rule } from "../../src/permissions/rule.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import { lead, type MemberName } from "../../src/protocol/ids.ts";
import type { Message, PermissionMode } from "../../src/protocol/message.ts";
import { Inbox } from "../../src/team/members/inbox.ts";
import type { MemberContext, MemberDefinition } from "../../src/team/members/member-definition.ts";
import { Supervisor } from "../../src/team/supervisor.ts";
import type { SupervisorOptions } from "../../src/team/supervisor-options.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { noCheckouts } from "./no-checkouts.ts";
import { noLandings } from "./no-landings.ts";
import { noRoles } from "./no-roles.ts";
import { ControlledStore } from "./protocols.ts";

export interface TestSupervisorOptions {
  planApprover?: MemberName;
  waitsForPerson?: boolean;
  autoclaim?: boolean;
  /** Of a process before this one; the caller closes it. */
  store?: ControlledStore;
  /** Called before a member is opened; holds it back, or makes it fail. */
  beforeOpen?: (name: MemberName) => Promise<void>;
  /** Called in each run of a member; holds it back, or makes it fail. */
  onRun?: (name: MemberName, signal: AbortSignal) => Promise<void>;
  /** The work of members on its way to the target (default: nobody has a checkout). */
  landing?: SupervisorOptions["landing"];
  /** What a member's transcript says of its last run (default: nothing). */
  lastRun?: (name: MemberName) => Partial<LastRun>;
  /** Called when everything is done that the end of a member's run brings about. */
  onSettled?: (name: MemberName) => void;
}

/** A team whose members read their mail, and otherwise do what a test says. */
export async function openSupervisor(options: TestSupervisorOptions = {}) {
  const { planApprover = lead, waitsForPerson = false, autoclaim = false } = options;
  const clock = new ManualClock();
  const store = options.store ?? new ControlledStore({ clock });
  const warnings: string[] = [];
  const contexts = new Map<MemberName, MemberContext>();
  let looks = 0;
  const supervisor = await Supervisor.open({
    ...{ store, clock, secrets: new Secrets([]), planApprover, waitsForPerson, autoclaim },
    lead: {
      ...{ root: "/repo", cwd: "/repo", model: "scripted", mode: "default" },
      ...{ rules: [], maxTurns: 10 },
    },
    openMember: async ({ name, mode, rules }: MemberDefinition, context) => {
      await options.beforeOpen?.(name);
      contexts.set(name, context);
      const own = await store.openMember(name, context);
      const reportMail: MemberContext["reportMail"] = (unread) => {
        looks++;
        return context.reportMail(unread);
      };
      const inbox = new Inbox(own.reader, { ...context, reportMail });
      return {
        ...{ inbox, runner: new ReadingRunner(name, inbox, options), backgroundJobs: [] },
        isTellingOfJobs: false,
        permissions: new PlainPermissions(mode, rules, context.widestMode),
        noteRunEnd: () => undefined,
        mailSettled: async () => undefined,
        setModel: async () => undefined,
        rewind: async () => false,
        goBack: async () => undefined,
        clear: async () => 0,
        end: async () => undefined,
        [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
      };
    },
    checkMember: async () => undefined,
    checkGiven: async () => undefined,
    roles: noRoles,
    checkouts: noCheckouts,
    teamTools: () => () => [],
    ...{
      hooks: () => ({}),
      commandHooks: () => undefined,
      toolNames: [],
      outputs: "/outputs",
      maxTeammates: 8,
      graceMs: 5_000,
    },
    landing: options.landing ?? noLandings,
    checkModel: () => undefined,
    resolveModel: async (id: string) => id,
    effortProblem: async () => undefined,
    keepWhole: async () => undefined,
    onWarning: (message) => void warnings.push(message),
  });
  supervisor.start();
  return {
    clock,
    store,
    supervisor,
    warnings,
    get looks() {
      return looks;
    },
    get areAllIdle() {
      return supervisor.members.living.every(({ state }) => !state.isBusy);
    },
    contextOf(name: MemberName): MemberContext {
      const context = contexts.get(name);
      if (context) return context;
      throw new Error(`'${name}' was not opened`);
    },
    spawn: (name: string) => supervisor.spawn(lead, { name, role: "coder", prompt: "Begin." }),
    async statuses() {
      const { members } = await supervisor.protocols.keeper.read();
      return Object.fromEntries(members.map(({ name, status }) => [name, status]));
    },
    until: (holds: () => boolean) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (!holds()) return;
          stop();
          resolve();
        };
        const stop = supervisor.members.onChange(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      await supervisor.leave();
      if (!options.store) await store[Symbol.asyncDispose]();
    },
  };
}

/** Takes in its mail, and says nothing. */
class ReadingRunner implements Runner {
  readonly model = "scripted";
  readonly exhausted = undefined;
  readonly #name: MemberName;
  readonly #inbox: Inbox;
  readonly #options: TestSupervisorOptions;

  constructor(name: MemberName, inbox: Inbox, options: TestSupervisorOptions) {
    this.#name = name;
    this.#inbox = inbox;
    this.#options = options;
  }

  get lastRun(): LastRun {
    return {
      ...{ answers: [], wakers: new Set<never>(), remindedOf: new Set<never>() },
      ...{ calledTools: new Set<never>(), isOpen: false, end: undefined, unsettledEnd: undefined },
      ...this.#options.lastRun?.(this.#name),
    };
  }

  async *run(signal: AbortSignal): AsyncGenerator<AgentEvent, RunEnd> {
    await this.takeIn((unread) => unread.length);
    const aborted = once(signal, "abort");
    await Promise.race([this.#options.onRun?.(this.#name, signal), aborted]);
    return { outcome: signal.aborted ? "interrupted" : "done", answers: [] };
  }

  async takeIn(choose: (unread: readonly Message[]) => number): Promise<boolean> {
    const unread = await this.#inbox.unread();
    const count = choose(unread.map(({ message }) => message));
    const taken = await this.#inbox.takeIn(unread.slice(0, count), async () => undefined);
    return taken.length > 0;
  }

  compact(): AsyncGenerator<AgentEvent, void> {
    throw new Error("Nobody ordered that");
  }

  async endRun(): Promise<void> {}

  async settleRun(): Promise<void> {
    this.#options.onSettled?.(this.#name);
  }
}

class PlainPermissions {
  rules: readonly Rule[];
  readonly #widest: () => PermissionMode;
  #mode: PermissionMode;

  constructor(mode: PermissionMode, rules: readonly Rule[], widest: () => PermissionMode) {
    this.#mode = mode;
    this.rules = rules;
    this.#widest = widest;
  }

  get mode(): PermissionMode {
    return narrowerMode(this.#mode, this.#widest());
  }

  setMode(mode: PermissionMode): void {
    this.#mode = mode;
  }

  setRules(rules: readonly Rule[]): void {
    this.rules = rules;
  }
}
