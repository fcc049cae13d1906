import { expect, test } from "vitest";
import { LateWatch } from "../../src/mailbox/late-watch.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const minuteMs = 60_000;

function watchOn(clock: ManualClock) {
  const looks: number[] = [];
  const watch = new LateWatch(clock, () => looks.push(clock.monotonicMs()));
  return { watch, looks };
}

test("a rotated log is checked once a second for ten minutes", () => {
  const clock = new ManualClock();
  clock.advance(500);
  const { watch, looks } = watchOn(clock);

  expect(watch.start()).toBe(500 + 10 * minuteMs);
  clock.advance(11 * minuteMs);

  expect(looks).toHaveLength(600);
  expect(looks.slice(0, 2)).toEqual([1500, 2500]);
  expect(looks.at(-1)).toBe(500 + 10 * minuteMs);
  expect(clock.pending).toBe(0);
});

test("another rotation extends the watch and does not delay the next check", () => {
  const clock = new ManualClock();
  const { watch, looks } = watchOn(clock);
  watch.start();
  clock.advance(1500);

  expect(watch.start()).toBe(1500 + 10 * minuteMs);
  expect(clock.pending).toBe(1);
  clock.advance(11 * minuteMs);

  expect(looks.slice(0, 2)).toEqual([1000, 2000]);
  expect(looks.at(-1)).toBe(602_000);
});

test("a watch that has ended or was stopped can be started again", () => {
  const clock = new ManualClock();
  const { watch, looks } = watchOn(clock);
  watch.start();
  clock.advance(11 * minuteMs);
  watch.start();
  watch.stop();
  clock.advance(minuteMs);
  const looksBefore = looks.length;

  watch.start();
  clock.advance(1000);

  expect(looksBefore).toBe(600);
  expect(looks).toHaveLength(601);
});
