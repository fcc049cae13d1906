import { expect, test } from "vitest";
import { makeOnce } from "../../src/lib/make-once.ts";

test("a value is created once, for all concurrent and later callers", async () => {
  const values = new Map<string, Promise<object>>();
  let count = 0;
  const make = async () => ({ count: ++count });

  const [first, second] = [makeOnce(values, "a", make), makeOnce(values, "a", make)];

  expect(await first).toBe(await second);
  expect(await makeOnce(values, "a", make)).toBe(await first);
  expect(await makeOnce(values, "b", make)).toEqual({ count: 2 });
});

test("a failure is not cached: all waiting callers get it, and the next one tries again", async () => {
  const values = new Map<string, Promise<string>>();
  const fail = () => Promise.reject(new Error("disk full"));

  const attempts = [makeOnce(values, "a", fail), makeOnce(values, "a", fail)];

  for (const attempt of attempts) await expect(attempt).rejects.toThrow("disk full");
  expect(await makeOnce(values, "a", async () => "made")).toBe("made");
});
