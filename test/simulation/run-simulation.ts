import { lead, newRequestId, user } from "../../src/protocol/ids.ts";
import type { Supervisor } from "../../src/team/supervisor.ts";
import type { Defect } from "./process-store.ts";
import { riskRule } from "./simulated-member.ts";
import { type Topic, teammateNames, wanderingMind } from "./simulated-model.ts";
import { Story } from "./story.ts";
import { World } from "./world.ts";

export interface SimulationOptions {
  /** How many seeds, and the first of them. */
  seeds: number;
  from?: number;
  /** What is broken on purpose. */
  defect?: Defect;
  /** What the models think of (default: everything). */
  topic?: Topic;
}

/** What went wrong with one seed, and what happened before. */
export interface SimulationFailure {
  seed: number;
  violations: readonly string[];
  log: readonly string[];
}

export interface SimulationResult {
  seeds: number;
  /** How many points were passed in all. */
  points: number;
  failure: SimulationFailure | undefined;
}

/** Tells one story for each seed, until one goes wrong. */
export async function runSimulation(options: SimulationOptions): Promise<SimulationResult> {
  const { seeds, from = 1, defect, topic = "everything" } = options;
  let points = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const { violations, world } = await tell(seed, defect, topic);
    points += world.passed;
    if (violations.length > 0) {
      return { seeds: seed - from + 1, points, failure: { seed, violations, log: world.log } };
    }
  }
  return { seeds, points, failure: undefined };
}

/** A failure in words, with what replays it. */
export function describeFailure({ seed, violations, log }: SimulationFailure): string {
  return [
    `Seed ${seed}: ${violations.join("; ")}.`,
    ...log.slice(-60),
    `Again: TROUPE_SEED=${seed} npx vitest run test/simulation`,
  ].join("\n");
}

async function tell(seed: number, defect: Defect | undefined, topic: Topic) {
  const world = new World(seed);
  const { random } = world;
  const energy = { left: 3 + random.below(topic === "plans" ? 40 : 10) };
  const planApprover = world.chance(0.3) ? user : lead;
  const mind = wanderingMind(random, energy, topic);
  const memberBudget = world.chance(0.15) ? { maxTokens: 4 + random.below(16) } : undefined;
  const story = new Story({ world, mind, planApprover, memberBudget, defect });
  if (world.chance(0.25)) story.faults.left = 1 + random.below(3);
  let violations: string[];
  try {
    await story.start();
    await interfere(story, { kills: world.chance(0.5) ? 1 + random.below(3) : 0 });
    violations = await story.conclude();
  } catch (error) {
    violations = [String(error)];
  }
  await story.kill();
  return { violations, world };
}

/** Acts on the team at points that the seed chooses. */
async function interfere(story: Story, { kills }: { kills: number }): Promise<void> {
  const { world } = story;
  const { random } = world;
  let killsLeft = kills;
  let actionsLeft = 3 + random.below(7);
  const teammates = 2 + random.below(3);
  while (actionsLeft > 0) {
    const isAtRest = !(await story.step());
    if (!isAtRest && !world.chance(0.08)) continue;
    if (killsLeft > 0 && world.chance(0.3)) {
      killsLeft--;
      if (world.chance(0.4)) await story.leave();
      else {
        await story.kill();
        await story.start();
      }
      continue;
    }
    if (!story.supervisor) continue;
    actionsLeft--;
    const name = random.pick(teammateNames.slice(0, teammates));
    const { label, run } = random.pick(deeds);
    await story.act(`${label} ${name}`, (supervisor) => run(supervisor, name, story));
  }
}

interface Deed {
  label: string;
  run(supervisor: Supervisor, name: string, story: Story): Promise<unknown> | undefined;
}

function member(supervisor: Supervisor, name: string) {
  return supervisor.members.livingTeammates.find((each) => each.name === name);
}

/** What comes from outside. What is there twice comes twice as often. */
const deeds: readonly Deed[] = [
  ...["lead", "lead", undefined, undefined, undefined].map((to) => ({
    label: `write to ${to ?? ""}`,
    run: (supervisor: Supervisor, name: string) =>
      supervisor.protocols.post.send(to ?? name, {
        type: "message",
        from: user,
        content: "Do something.",
      }),
  })),
  ...[false, false, false, true].map((planRequired) => ({
    label: "spawn",
    run: (supervisor: Supervisor, name: string) =>
      supervisor.spawn(user, { name, role: "coder", prompt: "Work.", planRequired }),
  })),
  ...[{ fresh: true }, { role: "tester" }].map((more) => ({
    label: "spawn again",
    run: (supervisor: Supervisor, name: string) =>
      supervisor.spawn(user, { name, role: "coder", prompt: "Again.", ...more }),
  })),
  {
    label: "ask to end",
    run: (supervisor, name) => {
      const asked = member(supervisor, name);
      return asked ? supervisor.protocols.shutdowns.ask(lead, asked.name) : undefined;
    },
  },
  {
    label: "stop",
    run: (supervisor, name) => {
      const stopped = member(supervisor, name);
      return stopped ? supervisor.stop(stopped.name) : undefined;
    },
  },
  {
    label: "stop everybody, not only",
    run: (supervisor, _, story) => story.stopEverybody(supervisor),
  },
  {
    label: "stop by mail",
    run: ({ protocols, options }, name) => {
      const request_id = newRequestId(options.clock.now());
      return protocols.post.send(name, { type: "shutdown_request", from: user, request_id });
    },
  },
  {
    label: "interrupt",
    run: (supervisor, name) => {
      return member(supervisor, name)?.order({ type: "interrupt" });
    },
  },
  {
    label: "create a task",
    run: ({ protocols }) => protocols.tasks.deskOf(user).create({ subject: "For whoever is free" }),
  },
  ...[1, 2].map(() => ({
    label: "answer a question, not only of",
    run: async (_: Supervisor, __: string, story: Story) => {
      await story.answerQuestion();
    },
  })),
  {
    label: "lay down a rule for all, not only",
    run: async ({ protocols, members }) => {
      for (const { name } of members.living) {
        await protocols.post.send(name, {
          ...{ type: "team_permission_update", from: user },
          ...{ rule: riskRule, decision: "allow" },
        });
      }
    },
  },
];
