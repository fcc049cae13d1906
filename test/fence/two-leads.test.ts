import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { FileFence } from "../../src/fence/file-fence.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** `TROUPE_FENCE_ROUNDS=200 npx vitest run test/fence/two-leads.test.ts` is the long run. */
const rounds = Number(process.env.TROUPE_FENCE_ROUNDS ?? 10);

test(`P09 two leads started at once ${rounds} times: one of them wins each time`, {
  timeout: 180_000 + rounds * 5_000,
}, async () => {
  await using directory = await temporaryDirectory();

  const winners: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using pair = await startPair(directory.path, "file");
    pair.tell("go");
    winners.push(countWinners(await pair.answers()));
  }

  // Each winner is killed, so that from the second round on both contend for a dead lead's place.
  expect(winners).toEqual(Array(rounds).fill(1));
});

test("control: a fence that checks and then writes has two winners", async () => {
  await using directory = await temporaryDirectory();
  await using pair = await startPair(directory.path, "naive");

  pair.tell("go");
  expect(await pair.answers()).toEqual(["checked", "checked"]);
  pair.tell("write");

  expect(countWinners(await pair.answers())).toBe(2);
});

test("a stopped lead is not replaced; a killed one is, at once", async () => {
  await using directory = await temporaryDirectory();
  await using lead = await startContender(directory.path, "file");
  lead.tell("go");
  expect(await lead.answer()).toBe("won");
  const fence = new FileFence({
    directory: directory.path,
    clock: systemClock,
    processes: systemProcesses,
    onNotice: () => {},
  });

  lead.process.kill("SIGSTOP");
  await expect(fence.acquire()).rejects.toMatchObject({
    code: "lead-alive",
    message: expect.stringContaining(`pid ${lead.process.pid}`),
  });
  await lead[Symbol.asyncDispose]();
  await using held = await fence.acquire();

  await held.check();
});

function countWinners(answers: readonly string[]): number {
  expect(answers.every((it) => it === "won" || it === "refused lead-alive")).toBe(true);
  return answers.filter((it) => it === "won").length;
}

interface Contender extends AsyncDisposable {
  process: ChildProcess;
  tell(line: string): void;
  answer(): Promise<string>;
}

async function startContender(directory: string, kind: "file" | "naive"): Promise<Contender> {
  const program = ["--import", "tsx", "test/fence/contender.ts", directory, kind];
  const child = spawn(process.execPath, program, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => String((await lines.next()).value);
  expect(await answer()).toBe("ready");
  return {
    process: child,
    tell: (line) => child.stdin.write(`${line}\n`),
    answer,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function startPair(directory: string, kind: "file" | "naive") {
  const pair = await Promise.all([
    startContender(directory, kind),
    startContender(directory, kind),
  ]);
  return {
    tell(line: string) {
      for (const it of pair) it.tell(line);
    },
    answers: () => Promise.all(pair.map((it) => it.answer())),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(pair.map((it) => it[Symbol.asyncDispose]()));
    },
  };
}
