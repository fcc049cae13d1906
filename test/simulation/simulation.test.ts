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

test.each([
  // Each begins shortly before the seed that finds it, so that it does not take minutes.
  ["wake-lost-while-looking", 320, /wakes nobody/],
  ["acknowledged-too-early", 1, /was never shown/],
  ["transcript-ignored", 200, /was shown 2 times/],
  // It needs a rare story: who was approved takes a task, and changes something then.
  ["approval-without-end", 12_600, /gate was closed/],
  ["rule-ignored", 1, /does not know the rule/],
] as const)("control: a store with the defect %s is detected", async (defect, from, complaint) => {
  // It ends with the first seed that finds it.
  const result = await runSimulation({ from, seeds: seedsOfControl, defect });

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
