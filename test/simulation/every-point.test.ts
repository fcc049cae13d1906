import { expect, test } from "vitest";
import { lead, user } from "../../src/protocol/ids.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import type { Defect } from "./process-store.ts";
import type { Mind } from "./simulated-model.ts";
import { Story } from "./story.ts";
import { World } from "./world.ts";

/** What happens at one point of the story, beside what happens in it anyway. */
type Incident = (story: Story) => Promise<void> | void;

test.each<[string, string, Incident]>([
  ["idle", "the person writes to it", writesTo("alice")],
  ["idle", "the person writes to the lead", writesTo("lead")],
  ["idle", "the process is killed", killed],
  ["idle", "a write fails", fails],
  ["at work", "the person writes to it", writesTo("alice")],
  ["at work", "the process is killed", killed],
])("a teammate is asked to end while it is %s, and at any point %s", async (state, _, incident) => {
  const isAtWork = state === "at work";
  const points = await pointsOf(isAtWork);

  const violations: string[] = [];
  for (let point = 0; point <= points; point++) {
    const { violations: found } = await tell({ point, incident, isAtWork });
    violations.push(...found.map((violation) => `at point ${point}: ${violation}`));
  }

  expect(violations).toEqual([]);
});

test("control: a wake that is lost while its member looks is detected", async () => {
  const points = await pointsOf(false);

  const violations: string[] = [];
  for (let point = 0; point <= points; point++) {
    const incident = writesTo("alice");
    const defect = "wake-lost-while-looking";
    const told = await tell({ point, incident, defect, isAtWork: false });
    violations.push(...told.violations);
  }

  expect(violations.join("\n")).toMatch(/wakes nobody/);
});

/** How many points there are in the story when nothing happens beside it. */
async function pointsOf(isAtWork: boolean): Promise<number> {
  const nothing = { point: -1, incident: () => undefined };
  const { points, violations, isEnded } = await tell({ ...nothing, isAtWork });
  expect(violations).toEqual([]);
  expect(isEnded).toBe(true);
  return points;
}

interface Telling {
  point: number;
  incident: Incident;
  /** Whether the teammate is asked to end in the middle of its first run. */
  isAtWork: boolean;
  defect?: Defect;
}

/** A teammate is spawned, works, is idle unless it is hurried, is asked to end, and ends. */
async function tell({ point, incident, isAtWork, defect }: Telling) {
  const world = new World(1, { inOrder: true });
  const story = new Story({ world, mind: dutiful, planApprover: lead, defect });
  const goOn = async (isFarEnough = () => false) => {
    do {
      if (isFarEnough()) return;
      if (world.passed === point && !hasHappened) {
        hasHappened = true;
        await incident(story);
      }
    } while (await story.step());
    if (!story.durable.hasFailed) violations.push(...(await story.findViolations()));
  };
  const violations: string[] = [];
  let hasHappened = false;
  await story.start();
  await goOn();
  await story.act("spawn", (team) =>
    team.spawn(user, { name: "alice", role: "coder", prompt: "Work." }),
  );
  await goOn(() => isAtWork && world.log.some((line) => line.includes("alice thinks")));
  await story.act("ask to end", ({ members, protocols }) => {
    const alice = members.livingTeammates.find(({ name }) => name === "alice");
    return alice && protocols.shutdowns.ask(lead, alice.name);
  });
  await goOn();
  const points = world.passed;
  const isEnded = story.durable.team.members.some(({ status }) => status === "shutdown");
  violations.push(...(await story.conclude()));
  await story.kill();
  return { points, violations, isEnded };
}

/** Looks at something, says so, and agrees to end when it is asked to. */
const dutiful: Mind = (_, { conversation }) => {
  const last = conversation.at(-1);
  const texts = last?.type === "input" ? last.texts.join("\n") : "";
  const asked = /type="shutdown_request"[^>]* request_id="([^"]+)"/.exec(texts);
  if (asked) return [calls("shutdown_response", { request_id: asked[1], approve: true })];
  return texts.includes("Work.") ? [calls("look", {})] : [says("That is that.")];
};

function writesTo(name: string): Incident {
  return (story) =>
    story.act(`write to ${name}`, ({ protocols }) =>
      protocols.post.send(name, { type: "message", from: user, content: "One more thing." }),
    );
}

async function killed(story: Story): Promise<void> {
  await story.kill();
  await story.start();
}

function fails(story: Story): void {
  story.faults = { left: 1, probability: 1 };
}
