import { expect, test } from "vitest";
import { Listeners } from "../../src/lib/listeners.ts";
import { catchUncaughtErrors } from "../../src/testing/uncaught-errors.ts";

test("all listeners are called, until they unsubscribe or all are removed", () => {
  const told: string[] = [];
  const listeners = new Listeners<number>();
  const leave = listeners.add((value) => told.push(`first ${value}`));
  listeners.add((value) => told.push(`second ${value}`));

  listeners.emit(1);
  leave();
  listeners.emit(2);
  listeners.clear();
  listeners.emit(3);

  expect(told).toEqual(["first 1", "second 1", "second 2"]);
});

test("a listener that was added twice is removed once", () => {
  const told: number[] = [];
  const listener = (value: number) => told.push(value);
  const listeners = new Listeners<number>();
  const leave = listeners.add(listener);
  listeners.add(listener);

  leave();
  leave();
  listeners.emit(1);

  expect(told).toEqual([1]);
});

test("a listener that throws blocks no other, and its error is reported as a crash", async () => {
  using uncaught = catchUncaughtErrors();
  const told: number[] = [];
  const listeners = new Listeners<number>();
  const error = new Error("a bug");
  listeners.add(() => {
    throw error;
  });
  listeners.add((value) => told.push(value));

  listeners.emit(1);

  expect(told).toEqual([1]);
  expect(await uncaught.settled()).toEqual([error]);
});
