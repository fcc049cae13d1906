import { Budget, type BudgetLimits } from "../../src/agent/bill.ts";
import { TeamError } from "../../src/errors.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead, type MemberName, user } from "../../src/protocol/ids.ts";
import { answerMessage } from "../../src/team/protocols/persons-answer.ts";
import { Supervisor } from "../../src/team/supervisor.ts";
import { type TeamToolsOptions, teamToolsFor } from "../../src/team/team-tools-for.ts";
import { noCheckouts } from "../support/no-checkouts.ts";
import { noLandings } from "../support/no-landings.ts";
import { noRoles } from "../support/no-roles.ts";
import { DurableState } from "./durable-state.ts";
import { findViolations } from "./invariants.ts";
import { type Defect, ProcessStore } from "./process-store.ts";
import { openSimulatedMember } from "./simulated-member.ts";
import { type Mind, SimulatedModel } from "./simulated-model.ts";
import { drained, type World } from "./world.ts";

export interface StoryOptions {
  world: World;
  mind: Mind;
  /** Who decides plans. */
  planApprover: MemberName;
  /** What each teammate may spend in one life of the process. */
  memberBudget?: BudgetLimits | undefined;
  defect?: Defect | undefined;
}

/** A process that runs the team, from its start to its death. */
class Life {
  isAlive = true;
  supervisor: Supervisor | undefined;
  readonly budgets = new Map<MemberName, Budget>();
  /** Whether it ends by itself, and how far that is. */
  leaving: "no" | "under way" | "done" = "no";
  /** The disk has failed its start. */
  isStillborn = false;
}

const decisions = ["allow-once", "allow-always", "deny"] as const;
const graceMs = 150;
/** Nobody has so much to do: whoever is not done by then never will be. */
const maxSteps = 30_000;

/** A team in a simulated world: it is acted on from outside, killed, and started again. */
export class Story {
  readonly world: World;
  readonly durable: DurableState;
  readonly violations: string[] = [];
  /** How many of the next writes may fail, and how likely that is for each. */
  faults = { left: 0, probability: 0.02 };
  readonly #options: StoryOptions;
  #life: Life | undefined;
  #underWay = 0;
  #requests = 0;
  #steps = 0;

  constructor(options: StoryOptions) {
    this.world = options.world;
    this.#options = options;
    this.durable = new DurableState(options.world.clockOf({ isAlive: true }));
  }

  get supervisor(): Supervisor | undefined {
    return this.#life?.supervisor;
  }

  /** Starts the process that runs the team. It is there when the world has gone on a little. */
  async start(): Promise<void> {
    const life = new Life();
    this.#life = life;
    this.world.note("--- start");
    this.#attempt("start", async () => {
      try {
        const supervisor = await Supervisor.open(this.#supervisorOptions(life));
        supervisor.start();
        life.supervisor = supervisor;
      } catch (error) {
        life.isStillborn = true;
        throw error;
      }
    });
    await drained();
  }

  /** Kills the process that runs the team: writes that were not carried out never happen. */
  async kill(): Promise<void> {
    const life = this.#life;
    if (!life) return;
    this.world.note("--- kill");
    life.isAlive = false;
    this.world.bury(life);
    this.#underWay = 0;
    await drained();
    await this.durable.release();
  }

  /** Has the process leave the team by itself, after which another starts. */
  leave(): Promise<void> {
    const life = this.#life;
    return this.act("leave", async (supervisor) => {
      if (life?.leaving !== "no") return;
      life.leaving = "under way";
      await supervisor.leave().finally(() => {
        life.leaving = "done";
      });
    });
  }

  /** Stops everybody. Whoever was there before must be gone then. */
  async stopEverybody(supervisor: Supervisor): Promise<void> {
    const given = supervisor.options.clock.now().toISOString();
    await supervisor.stop(lead);
    // A team that is closed, or whose disk has failed, has its rest done at the next start.
    if (supervisor.isClosing || this.durable.hasFailed) return;
    for (const { name, status, spawned_at = "" } of this.durable.team.members) {
      const isLeft = status !== "shutdown" && spawned_at <= given;
      if (isLeft) this.violations.push(`${name} is there after everybody was stopped`);
    }
  }

  /** Answers one question that is put to the person. False where there is none. */
  async answerQuestion(): Promise<boolean> {
    const [question] = this.durable.questions.values();
    if (!question) return false;
    const decision = this.world.random.pick(decisions);
    await this.act(`${decision} to ${question.from}`, ({ protocols }) =>
      protocols.post.send(question.from, answerMessage(question, { decision })),
    );
    return true;
  }

  /** Does something with the team, if it runs; a refusal is an answer like any other. */
  async act(
    label: string,
    action: (supervisor: Supervisor) => Promise<unknown> | undefined,
  ): Promise<void> {
    const { supervisor } = this;
    if (!supervisor) return;
    this.world.note(`--- ${label}`);
    this.#attempt(label, async () => action(supervisor));
    await drained();
  }

  /** Lets the world go one point on. False when it is at rest. */
  async step(): Promise<boolean> {
    if (this.#steps++ > maxSteps) throw new Error("The team does not come to rest");
    const life = this.#life;
    if (!life?.isStillborn && life?.leaving !== "done") {
      if (await this.world.step()) return true;
      if (life?.leaving !== "under way") return false;
      this.violations.push("the team was never closed");
    }
    await this.kill();
    await this.start();
    return true;
  }

  /** Lets everything come to its end, with nobody interfering, and says what is wrong then. */
  async conclude(): Promise<string[]> {
    this.faults.left = 0;
    await this.#settle();
    // What a write that failed has left undone is done at the next start at the latest.
    if (this.durable.hasFailed) {
      await this.kill();
      await this.start();
      await this.#settle();
    }
    return this.findViolations();
  }

  /** What is wrong with the team, which must be at rest. */
  async findViolations(): Promise<string[]> {
    if (!this.supervisor) return ["the team did not start"];
    return [...this.violations, ...(await findViolations(this.durable, this.supervisor))];
  }

  async #settle(): Promise<void> {
    let requestsWhenQuiet: number | undefined;
    do {
      const isQuiet = this.#underWay === 0 && this.supervisor?.isQuiet;
      if (isQuiet && !this.supervisor?.isClosing) requestsWhenQuiet ??= this.#requests;
    } while ((await this.step()) || (await this.answerQuestion()));
    if (this.#underWay > 0) this.violations.push("something never came to its end");
    if (requestsWhenQuiet !== undefined && requestsWhenQuiet < this.#requests) {
      this.violations.push("the team was said to be quiet, and went on");
    }
  }

  #attempt(label: string, action: () => Promise<unknown> | undefined): void {
    const life = this.#life;
    this.#underWay++;
    const done = () => {
      if (life?.isAlive) this.#underWay--;
    };
    Promise.resolve(action()).then(done, (error: unknown) => {
      done();
      if (!(error instanceof TeamError)) this.violations.push(`${label}: ${String(error)}`);
    });
  }

  #supervisorOptions(life: Life): Parameters<typeof Supervisor.open>[0] {
    const { world, durable } = this;
    const clock = world.clockOf(life);
    const store = new ProcessStore({
      ...{ world, durable, clock, process: life, defect: this.#options.defect },
      fails: (label) => this.#fails(label),
    });
    return {
      ...{ store, clock, graceMs, planApprover: this.#options.planApprover },
      secrets: new Secrets([]),
      lead: {
        ...{ root: "/project", cwd: "/project", model: "simulated/model" },
        ...{ mode: "default", rules: [], maxTurns: 20 },
        memberBudget: this.#options.memberBudget,
      },
      checkMember: async () => undefined,
      checkGiven: async () => undefined,
      checkouts: noCheckouts,
      waitsForPerson: this.#options.planApprover === user,
      openMember: (definition, context) =>
        openSimulatedMember(definition, context, {
          ...{ store, clock, model: this.#model(life, definition.name) },
          durable,
          defect: this.#options.defect,
          budgetOf: (name, limits) => budgetIn(life, name, limits),
          onChange: (member) => this.#checkGate(member),
        }),
      teamTools: (self, supervisor) => (own) =>
        teamToolsFor(self, {
          supervisor,
          timetable: noTimetable,
          own,
          hasResults: false,
          hasRoles: false,
        }),
      toolNames: [],
      roles: noRoles,
      ...{ hooks: () => ({}), commandHooks: () => undefined },
      landing: noLandings,
      checkModel: () => undefined,
      resolveModel: async (id: string) => id,
      effortProblem: async () => undefined,
      outputs: "/project/.team/outputs",
      keepWhole: async () => undefined,
      autoclaim: true,
      maxTeammates: 32,
      onWarning: (message) => world.note(`warning: ${message}`),
    };
  }

  #model(process: Life, self: MemberName): SimulatedModel {
    const { world } = this;
    const { mind } = this.#options;
    const onRequest = (member: MemberName) => this.#noteRequest(process, member);
    return new SimulatedModel({ world, process, self, mind, onRequest });
  }

  #noteRequest({ leaving }: Life, member: MemberName): void {
    this.#requests++;
    if (leaving === "done") this.violations.push(`${member} asked its model in a closed team`);
    const status = this.durable.team.members.find(({ name }) => name === member)?.status;
    if (status === "shutdown") this.violations.push(`${member} asked its model after its end`);
  }

  #checkGate(member: MemberName): void {
    const record = this.durable.team.members.find(({ name }) => name === member);
    const newest = this.durable.plans.get(member);
    // Whoever was spawned again begins without the plans of the one before.
    const isOld = newest && record?.spawned_at && newest.created_at < record.spawned_at;
    const plan = isOld ? undefined : newest;
    const isClosed =
      plan?.state === "pending" ||
      plan?.state === "rejected" ||
      (record?.plan_required && (plan?.state !== "approved" || this.durable.hasTakenTask(member)));
    if (isClosed) this.violations.push(`${member} changed something though its gate was closed`);
  }

  #fails(label: string): boolean {
    if (this.faults.left === 0 || !this.world.chance(this.faults.probability)) return false;
    this.faults.left--;
    this.durable.hasFailed = true;
    this.world.note(`--- fails: ${label}`);
    return true;
  }
}

function budgetIn({ budgets }: Life, name: MemberName, limits: BudgetLimits): Budget {
  const budget = budgets.get(name) ?? new Budget(`${name}'s`, limits);
  budgets.set(name, budget);
  return budget;
}

const noTimetable: TeamToolsOptions["timetable"] = {
  schedule: () => Promise.reject(new Error("There is no timetable")),
  list: async () => [],
  cancel: () => Promise.reject(new Error("There is no timetable")),
};
