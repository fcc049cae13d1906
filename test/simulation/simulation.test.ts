import { expect, test } from "vitest";
import { describeFailure, runSimulation, type SimulationResult } from "./run-simulation.ts";

/** `npm run soak:team` goes on where these end. */
const chunks = 4;
const seedsOfChunk = 250;
const seedsOfControl = 6_000;
/** One seed alone, to look at what went wrong with it. */
const onlySeed = process.env.TROUPE_SEED;

const starts = onlySeed
  ? [Number(onlySeed)]
  : Array.from({ length: chunks }, (_, index) => 1 + index * seedsOfChunk);

test.each(starts)(
  "a team keeps its promises for any events in any order, seeds from %d on",
  async (from) => {
    const result = await runSimulation({ from, seeds: onlySeed ? 1 : seedsOfChunk });

    expect(toldOf(result)).toBe("");
  },
);

test("a team keeps its promises where everything is about plans and tasks", async () => {
  const result = await runSimulation({ from: 1, seeds: seedsOfChunk, topic: "plans" });

  expect(toldOf(result)).toBe("");
});

test.each([
  ["wake-lost-while-looking", "everything", /wakes nobody/],
  ["acknowledged-too-early", "everything", /was never shown/],
  ["transcript-ignored", "everything", /was shown 2 times/],
  ["approval-without-end", "plans", /gate was closed/],
  ["rule-ignored", "everything", /does not know the rule/],
] as const)("control: a store with the defect %s is detected", async (defect, topic, complaint) => {
  // It ends with the first seed that finds it.
  const result = await runSimulation({ from: 1, seeds: seedsOfControl, defect, topic });

  expect(toldOf(result)).toMatch(complaint);
});

test("a seed gives the same story every time", async () => {
  const once = await runSimulation({ from: 7, seeds: 3 });
  const again = await runSimulation({ from: 7, seeds: 3 });

  expect(again).toEqual(once);
});

function toldOf({ failure }: SimulationResult): string {
  return failure ? describeFailure(failure) : "";
}
