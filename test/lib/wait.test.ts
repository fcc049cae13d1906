import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { wait } from "../../src/lib/wait.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

test("a wait ends when its clock reaches the time", async () => {
  const clock = new ManualClock();
  let isOver = false;
  const waiting = wait(clock, 1_000).then(() => {
    isOver = true;
  });

  await clock.advanceUntil(() => isOver);

  await waiting;
  expect(clock.monotonicMs()).toBe(1_000);
});

test("an aborted wait rejects with the reason, before and during", async () => {
  const clock = new ManualClock();
  const abort = new AbortController();
  const waiting = wait(clock, 1_000, abort.signal);

  abort.abort("enough");

  await expect(waiting).rejects.toBe("enough");
  await expect(wait(clock, 1_000, abort.signal)).rejects.toBe("enough");
});

test("a process stays alive for a wait, but not for a scheduled call", async () => {
  expect(await output("await wait(systemClock, 1)")).toBe("over\n");
  expect(await output("await new Promise((go) => systemClock.schedule(60_000, go))")).toBe("");
});

/** What a program prints that does `statement` and then says that it is over. */
async function output(statement: string): Promise<string> {
  const program = `
    import { systemClock } from "./src/lib/clock.ts";
    import { wait } from "./src/lib/wait.ts";
    ${statement};
    console.log("over");`;
  const command = ["--import", "tsx", "--input-type=module", "--eval", program];
  try {
    return (await promisify(execFile)(process.execPath, command)).stdout;
  } catch (error) {
    // Exit code 13 is Node's word for an await that nothing can end any more.
    if (error instanceof Error && "code" in error && error.code === 13) return "";
    throw error;
  }
}
