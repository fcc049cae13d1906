import { expect, test } from "vitest";
import { FileLocks } from "../../src/workspace/file-locks.ts";

test("tasks for one path take turns, and those for another do not wait", async () => {
  const locks = new FileLocks();
  const events: string[] = [];
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });

  const first = locks.run("/a", async () => {
    await gate;
    events.push("first");
  });
  const second = locks.run("/a", async () => events.push("second"));
  await locks.run("/b", async () => events.push("other"));
  open();
  await Promise.all([first, second]);

  expect(events).toEqual(["other", "first", "second"]);
});

test("a task that fails does not stop the next", async () => {
  const locks = new FileLocks();
  const failed = locks.run("/a", () => Promise.reject(new Error("no")));
  const next = locks.run("/a", async () => "done");

  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("done");
});
