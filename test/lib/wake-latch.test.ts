import { expect, test } from "vitest";
import { WakeLatch } from "../../src/lib/wake-latch.ts";

test("a wake ends a wait", async () => {
  const latch = new WakeLatch();
  const waiting = latch.next();

  latch.wake();

  await waiting;
});

test("a wake before the wait is kept, and several count as one", async () => {
  const latch = new WakeLatch();
  latch.wake();
  latch.wake();
  await latch.next();
  const order: string[] = [];

  const waiting = latch.next().then(() => order.push("woken"));
  // Another wait that was begun later, and has had its wake, is over before.
  const other = new WakeLatch();
  other.wake();
  await other.next().then(() => order.push("other"));
  latch.wake();
  await waiting;

  expect(order).toEqual(["other", "woken"]);
});
