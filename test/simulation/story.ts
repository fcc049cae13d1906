import { TeamError } from "../../src/errors.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import type { MemberName } from "../../src/protocol/ids.ts";
import { seatTools } from "../../src/team/member-desks.ts";
import { Supervisor } from "../../src/team/supervisor.ts";
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
  defect?: Defect | undefined;
}

/** A process that runs the team, from its start to its death. */
class Life {
  isAlive = true;
  supervisor: Supervisor | undefined;
  /** The disk has failed its start. */
  isStillborn = false;
}

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
    if (!this.#life?.isStillborn) return this.world.step();
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
      if (this.#underWay === 0 && this.supervisor?.isQuiet) requestsWhenQuiet ??= this.#requests;
    } while (await this.step());
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
        ...{ root: "/work", cwd: "/work", model: "simulated/model" },
        ...{ mode: "default", rules: [], maxTurns: 20 },
      },
      checkMember: async () => undefined,
      waitsForPerson: false,
      openMember: (definition, seat) =>
        openSimulatedMember(definition, seat, {
          ...{ store, clock, model: this.#model(life, definition.name) },
          onChange: (member) => this.#checkGate(member),
        }),
      seatTools: (self, supervisor) => seatTools(self, supervisor, noTimetable),
      toolNames: [],
      checkModel: () => undefined,
      outputs: "/work/.team/outputs",
      keepWhole: async () => undefined,
      autoclaim: true,
      maxTeammates: 32,
      onWarning: (message) => world.note(`warning: ${message}`),
    };
  }

  #model(process: Life, self: MemberName): SimulatedModel {
    const { world } = this;
    const { mind } = this.#options;
    const onRequest = (member: MemberName) => this.#noteRequest(member);
    return new SimulatedModel({ world, process, self, mind, onRequest });
  }

  #noteRequest(member: MemberName): void {
    this.#requests++;
    const status = this.durable.team.members.find(({ name }) => name === member)?.status;
    if (status === "shutdown") this.violations.push(`${member} asked its model after its end`);
  }

  #checkGate(member: MemberName): void {
    const plan = this.durable.plans.get(member);
    const record = this.durable.team.members.find(({ name }) => name === member);
    const isClosed =
      plan?.state === "pending" ||
      plan?.state === "rejected" ||
      (record?.plan_required && plan?.state !== "approved");
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

const noTimetable: Parameters<typeof seatTools>[2] = {
  schedule: () => Promise.reject(new Error("There is no timetable")),
  list: async () => [],
  cancel: () => Promise.reject(new Error("There is no timetable")),
};
