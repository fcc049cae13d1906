import { expect, test } from "vitest";
import { Disposables } from "../../src/lib/disposables.ts";

test("all are closed, the last one first, and once", async () => {
  const closed: string[] = [];
  const opened = new Disposables();
  opened.use({ [Symbol.dispose]: () => void closed.push("first") });
  opened.use({ [Symbol.asyncDispose]: async () => void closed.push("second") });

  await opened[Symbol.asyncDispose]();
  await opened[Symbol.asyncDispose]();

  expect(closed).toEqual(["second", "first"]);
});

test("one that cannot be closed is reported, and the others are closed", async () => {
  const closed: string[] = [];
  const opened = new Disposables();
  opened.use({ [Symbol.dispose]: () => void closed.push("first") });
  opened.use({
    [Symbol.dispose]: () => {
      throw new Error("stuck");
    },
  });

  await expect(opened[Symbol.asyncDispose]()).rejects.toThrow("stuck");

  expect(closed).toEqual(["first"]);
});
