import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileFence } from "../../src/fence/file-fence.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { testFence } from "../../src/testing/conformance/fence.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { heartbeatIn, Machine } from "./machines.ts";

testFence("FileFence", async () => {
  const directory = await temporaryDirectory();
  const open = () =>
    new FileFence({
      directory: directory.path,
      clock: new ManualClock(),
      processes: systemProcesses,
      onNotice: () => {},
    });
  return {
    fence: open(),
    reopen: async () => open(),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
});

test("a lead that died on this machine is replaced at once, without a manual step", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  const dead = await machine.open(directory.path).acquire();

  machine.kill(100);
  machine.start(200, "2");
  expect(await machine.open(directory.path).look()).toMatchObject({ pid: 100, isAlive: false });
  await using held = await machine.open(directory.path).acquire();

  expect(held.epoch).toBeGreaterThan(dead.epoch);
});

test.each(["host", "boot_id", "pid_namespace"])(
  "P15 a dead lead whose record has another %s because of damage is replaced at once",
  async (field) => {
    await using directory = await temporaryDirectory();
    const machine = new Machine("here");
    await machine.open(directory.path).acquire();
    const path = join(directory.path, ".versions", "lead", "1.json");
    const record = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...record, [field]: `${record[field]}x` }));

    machine.kill(100);
    machine.start(200, "2");

    await using held = await machine.open(directory.path).acquire();
    await held.check();
  },
);

test("a live lead on this machine is never replaced, however long it is silent", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  await using _held = await machine.open(directory.path, new ManualClock()).acquire();

  machine.start(200, "2");
  machine.clock.advance(24 * 3_600_000);

  await expect(machine.open(directory.path).acquire()).rejects.toMatchObject({
    code: "lead-alive",
    message: expect.stringContaining("pid 100 on here"),
  });
});

test("a dead lead whose pid is now another process's is replaced", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  await machine.open(directory.path).acquire();

  machine.start(100, "5");
  machine.start(200, "6");

  await using held = await machine.open(directory.path).acquire();
  await held.check();
});

test("if two contenders both find the lead dead, one acquires", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  await machine.open(directory.path).acquire();
  machine.start(200, "2");
  const bothLooked = barrier(2);
  const contend = () =>
    new FileFence({
      directory: directory.path,
      clock: machine.clock,
      onNotice: () => {},
      processes: {
        self: () => machine.self(),
        startOf: async (pid) => {
          if (pid !== 100) return machine.startOf(pid);
          await bothLooked();
          return undefined;
        },
      },
    }).acquire();

  const outcomes = await Promise.allSettled([contend(), contend()]);

  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a lead on another machine with a recent heartbeat is not replaced, and the hint says when to retry", async () => {
  await using directory = await temporaryDirectory();
  await using _held = await new Machine("there").open(directory.path).acquire();
  const here = new Machine("here");

  here.clock.advance(12_000);

  expect(await here.open(directory.path).look()).toMatchObject({ host: "there", isAlive: true });
  await expect(here.open(directory.path).acquire()).rejects.toMatchObject({
    code: "lead-alive",
    message: expect.stringContaining("pid 100 on there"),
    hint: expect.stringContaining("18 s"),
  });
});

test("a remote lead whose clock is slightly ahead counts as alive", async () => {
  await using directory = await temporaryDirectory();
  await using _held = await new Machine("there").open(directory.path).acquire();
  const here = new Machine("here");

  here.clock.jump(-5_000);

  expect(await here.open(directory.path).look()).toMatchObject({ host: "there", isAlive: true });
  await expect(here.open(directory.path).acquire()).rejects.toMatchObject({
    code: "lead-alive",
    hint: expect.stringContaining("35 s"),
  });
});

test("a silent remote lead is replaced after 5 s without a heartbeat and its time of trust", async () => {
  await using directory = await temporaryDirectory();
  const dead = await new Machine("there").open(directory.path).acquire();
  const here = new Machine("here");
  here.clock.advance(31_000);
  expect(await here.open(directory.path).look()).toMatchObject({ host: "there", isAlive: false });

  const attempt = settled(here.open(directory.path).acquire());
  await advance(here, 5);
  expect(attempt.isSettled).toBe(false);
  await here.clock.waiting(2);
  expect(await here.open(directory.path).look()).toMatchObject({ host: "here" });
  here.clock.advance(3_999);
  expect(attempt.isSettled).toBe(false);
  here.clock.advance(1);
  await using held = await attempt.promise;

  expect(held.epoch).toBe(dead.epoch + 1);
  expect(here.notices).toEqual([expect.stringContaining("pid 100 on there does not respond")]);
});

test("a remote lead that beats while it is watched is not replaced", async () => {
  await using directory = await temporaryDirectory();
  const there = new Machine("there");
  await using held = await there.open(directory.path).acquire();
  const here = new Machine("here");
  here.clock.jump(24 * 3_600_000);

  const attempt = settled(here.open(directory.path).acquire());
  await advance(here, 4);
  await beat(there, directory.path);
  await advance(here, 1);

  await expect(attempt.promise).rejects.toMatchObject({ code: "lead-alive" });
  await held.check();
});

test.each([
  ["lies in the future", -3_600_000, false],
  ["is missing", 3_600_000, true],
])("a remote lead whose heartbeat %s is watched for 30 s", async (_, jumpMs, isMissing) => {
  await using directory = await temporaryDirectory();
  await new Machine("there").open(directory.path).acquire();
  if (isMissing) await writeFile(join(directory.path, "heartbeat"), "not a heartbeat");
  const here = new Machine("here");
  here.clock.jump(jumpMs);

  const attempt = settled(here.open(directory.path).acquire());
  await advance(here, 29);
  await here.clock.waiting();
  expect(await here.open(directory.path).look()).toMatchObject({ host: "there" });
  here.clock.advance(1_000);
  await here.clock.waiting(2);
  here.clock.advance(4_000);

  await using held = await attempt.promise;
  await held.check();
});

test("a contender that is suspended while it watches does not count that time as silence", async () => {
  await using directory = await temporaryDirectory();
  const there = new Machine("there");
  await using _held = await there.open(directory.path).acquire();
  const here = new Machine("here");
  here.clock.advance(31_000);

  const attempt = settled(here.open(directory.path).acquire());
  await here.clock.waiting();
  here.clock.advance(3_600_000);
  await here.clock.waiting();
  await beat(there, directory.path);
  here.clock.advance(1_000);

  await expect(attempt.promise).rejects.toMatchObject({ code: "lead-alive" });
});

test("a contender that is aborted while it watches acquires nothing", async () => {
  await using directory = await temporaryDirectory();
  const dead = await new Machine("there").open(directory.path).acquire();
  const here = new Machine("here");
  here.clock.advance(31_000);
  const abort = new AbortController();

  const attempt = settled(here.open(directory.path).acquire(abort.signal));
  await here.clock.waiting();
  abort.abort("enough");

  await expect(attempt.promise).rejects.toBe("enough");
  expect(await here.open(directory.path).look()).toMatchObject({ epoch: dead.epoch });
});

test.each([-3_600_000, 24 * 3_600_000])(
  "a clock that jumps by %d ms neither ends a lead nor lets another in",
  async (jumpMs) => {
    await using directory = await temporaryDirectory();
    const machine = new Machine("here");
    await using held = await machine.open(directory.path).acquire();

    machine.clock.jump(jumpMs);
    await held.check();
    await beat(machine, directory.path);
    await held.check();

    expect(held.lost.aborted).toBe(false);
    machine.start(200, "2");
    await expect(machine.open(directory.path).acquire()).rejects.toMatchObject({
      code: "lead-alive",
    });
  },
);

test("an unreadable record is an error with a hint, not an endless contest", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, ".versions", "lead"), { recursive: true });
  await writeFile(join(directory.path, ".versions", "lead", "1.json"), "{}");

  await expect(new Machine("here").open(directory.path).acquire()).rejects.toMatchObject({
    code: "record-corrupt",
    hint: expect.stringContaining("fence"),
  });
});

test.each([
  ["says that nobody leads", (text: string) => text.replace('"held"', '"released"')],
  ["names another lead", (text: string) => text.replace('"version": 1', '"version": 2')],
  ["is nonsense", () => "nonsense"],
])("P09 a lead.json that %s creates no second lead and ends no first", async (_, edit) => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  await using held = await machine.open(directory.path).acquire();
  const path = join(directory.path, "lead.json");
  await writeFile(path, edit(await readFile(path, "utf8")));

  machine.start(200, "2");

  await expect(machine.open(directory.path).acquire()).rejects.toMatchObject({
    code: "lead-alive",
    message: expect.stringContaining("pid 100"),
  });
  machine.clock.jump(60_000);
  await held.check();
  expect(held.lost.aborted).toBe(false);
});

test("leftovers of a lead that died in the middle of a write are removed by the next one", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  await using first = await machine.open(directory.path).acquire();
  await first[Symbol.asyncDispose]();
  const versions = join(".versions", "lead");
  const old = `heartbeat.${randomUUID()}.tmp`;
  const older = join(versions, `2.json.${randomUUID()}.tmp`);
  // That of a contender that is about to be refused.
  const young = join(versions, `3.json.${randomUUID()}.tmp`);
  const nowS = machine.clock.now().getTime() / 1_000;
  const agesS = { [old]: 3_601, [older]: 86_400, [young]: 3_599 };
  for (const [name, ageS] of Object.entries(agesS)) {
    await writeFile(join(directory.path, name), "");
    await utimes(join(directory.path, name), nowS - ageS, nowS - ageS);
  }

  await using _second = await machine.open(directory.path).acquire();

  const left = await readdir(directory.path, { recursive: true });
  expect(left.filter((name) => name.endsWith(".tmp"))).toEqual([young]);
});

test("old records of leads are removed, and epochs keep increasing", async () => {
  await using directory = await temporaryDirectory();
  const machine = new Machine("here");
  const epochs: number[] = [];

  for (let start = 0; start < 60; start++) {
    await using held = await machine.open(directory.path).acquire();
    epochs.push(held.epoch);
  }

  expect(epochs).toEqual(epochs.map((_, index) => index * 2 + 1));
  expect(await readdir(join(directory.path, ".versions", "lead"))).toHaveLength(100);
});

test("the fence's files are private, regardless of the umask", async () => {
  await using directory = await temporaryDirectory();
  const fence = join(directory.path, "team", "fence");
  const before = process.umask(0);
  try {
    await using _held = await new Machine("here").open(fence).acquire();

    const modes = await Promise.all(
      [".", "lead.json", "heartbeat", ".versions", ".versions/lead/1.json"].map(
        async (name) => (await stat(join(fence, name))).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o600, 0o600, 0o700, 0o600]);
    expect((await readdir(fence)).sort()).toEqual([".versions", "heartbeat", "lead.json"]);
  } finally {
    process.umask(before);
  }
});

/** Lets `seconds` pass for somebody who waits on this machine's clock anew after each of them. */
async function advance({ clock }: Machine, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await clock.waiting();
    clock.advance(1_000);
  }
}

/** Lets the holder on `machine` beat once. */
async function beat({ clock }: Machine, directory: string): Promise<void> {
  const before = await heartbeatIn(directory);
  await clock.waiting();
  clock.advance(2_000);
  await clock.waiting();
  expect(await heartbeatIn(directory)).toMatchObject({ beat: before.beat + 1 });
}

/** Tells whether a promise is still pending, and keeps its rejection from going unhandled. */
function settled<T>(promise: Promise<T>): { promise: Promise<T>; isSettled: boolean } {
  const attempt = { promise, isSettled: false };
  const settle = () => {
    attempt.isSettled = true;
  };
  promise.then(settle, settle);
  return attempt;
}

/** A meeting point that lets nobody on before `count` have arrived. */
function barrier(count: number): () => Promise<void> {
  const arrivals: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      arrivals.push(resolve);
      if (arrivals.length === count) for (const goOn of arrivals) goOn();
    });
}
