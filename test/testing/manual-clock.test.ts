import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ManualClock } from "../../src/testing/manual-clock.ts";

test("timers that are set and neither due nor cancelled are pending", () => {
  const clock = new ManualClock();
  clock.schedule(1_000, () => undefined);
  const cancel = clock.schedule(2_000, () => undefined);
  expect(clock.pending).toBe(2);

  clock.advance(1_000);
  expect(clock.pending).toBe(1);
  cancel();

  expect(clock.pending).toBe(0);
});

test("time passes from timer to timer, including new ones, until the condition is true", async () => {
  const clock = new ManualClock();
  const times: number[] = [];
  const tick = () => {
    times.push(clock.monotonicMs());
    clock.schedule(700, tick);
  };
  clock.schedule(700, tick);

  await clock.advanceUntil(() => times.length === 3);

  expect(times).toEqual([700, 1_400, 2_100]);
  expect(clock.monotonicMs()).toBe(2_100);
});

test("a timer that is set only after I/O is awaited, and a condition that is already true takes no time", async () => {
  const clock = new ManualClock();
  let isOver = false;
  void readFile(import.meta.filename).then(() => {
    clock.schedule(5_000, () => {
      isOver = true;
    });
  });

  await clock.advanceUntil(() => isOver);
  await clock.advanceUntil(() => isOver, 1_000);

  expect(clock.monotonicMs()).toBe(5_000);
});

test("with steps, time also passes without timers", async () => {
  const clock = new ManualClock();
  clock.schedule(2_500, () => undefined);

  await clock.advanceUntil(() => clock.monotonicMs() >= 3_000, 1_000);

  expect(clock.monotonicMs()).toBe(3_500);
});
