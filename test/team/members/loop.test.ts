import { expect, test } from "vitest";
import { Loop } from "../../../src/team/members/loop.ts";
import { promised } from "../../support/promised.ts";

/** A loop whose work is done piece by piece, by the test. */
function loopOf(answers: (boolean | Error)[]) {
  const asleep = promised<void>();
  const crashes: unknown[] = [];
  let looks = 0;
  let onLook = () => {};
  const loop: Loop = new Loop({
    async work() {
      looks++;
      onLook();
      const answer = answers.shift() ?? false;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onSleep: () => asleep.keep(),
    onCrash: (error) => crashes.push(error),
  });
  return {
    loop,
    crashes,
    asleep: asleep.promise,
    looks: () => looks,
    onLook: (listener: () => void) => {
      onLook = listener;
    },
  };
}

test("it works until there is nothing to do, then sleeps", async () => {
  const { loop, asleep, looks } = loopOf([true, true]);

  loop.start();
  await asleep;

  expect(looks()).toBe(3);
  expect(loop.isAsleep).toBe(true);
});

test("P03 a wake during the last look is not lost", async () => {
  const { loop, asleep, looks, onLook } = loopOf([]);
  let wakes = 0;
  onLook(() => {
    if (wakes++ === 0) loop.wake();
  });

  loop.start();
  await asleep;

  expect(looks()).toBe(2);
});

test("it counts as awake from the moment of a wake", async () => {
  const { loop, asleep } = loopOf([]);
  loop.start();
  await asleep;

  loop.wake();

  expect(loop.isAsleep).toBe(false);
  await loop.stop();
});

test("an exception is reported and does not end the loop", async () => {
  const bug = new Error("a bug");
  const { loop, asleep, crashes, looks } = loopOf([bug]);
  loop.start();
  await asleep;

  loop.wake();
  await loop.stop();

  expect(crashes).toEqual([bug]);
  expect(looks()).toBeGreaterThanOrEqual(1);
});

test("stopping waits for the current work, and starts no other", async () => {
  const begun = promised<void>();
  const finish = promised<boolean>();
  let looks = 0;
  const loop = new Loop({
    work() {
      looks++;
      begun.keep();
      return finish.promise;
    },
    onSleep: () => undefined,
    onCrash: () => undefined,
  });
  loop.start();
  await begun.promise;

  const stopped = loop.stop();
  finish.keep(true);
  await stopped;

  expect(looks).toBe(1);
});

test("a loop that is stopped while it sleeps ends", async () => {
  const { loop, asleep, looks } = loopOf([]);
  loop.start();
  await asleep;

  await loop.stop();

  expect(looks()).toBe(1);
  expect(loop.isAsleep).toBe(true);
});
