import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { appendFile, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { WakeSource } from "../../src/lib/wake-source.ts";
import { FileEventLog } from "../../src/logs/file-event-log.ts";
import { FileEventReader } from "../../src/logs/file-event-reader.ts";
import {
  runStart,
  startFollower,
  take,
  testEventLog,
  warning,
} from "../../src/testing/conformance/event-log.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { beforeStep, patchFs, systemError } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

testEventLog("FileEventLog", async (clock) => {
  const fixture = await openLog({ clock });
  return { ...fixture, restart: fixture.reopen };
});

testEventLog("FileEventLog that rotates with every event", async (clock) => {
  const fixture = await openLog({ clock, maxBytes: 1, keptSegments: 10_000 });
  return { ...fixture, restart: fixture.reopen };
});

describe("rotation", () => {
  test("keeps the newest segments, and a gap shows what a late follower has missed", async () => {
    await using fixture = await openLog({ maxBytes: 1, keptSegments: 4 });

    for (let turn = 1; turn <= 20; turn++) fixture.log.append(warning(`${turn}`));

    expect((await readdir(fixture.segments)).sort()).toEqual([
      "000016.jsonl",
      "000017.jsonl",
      "000018.jsonl",
      "000019.jsonl",
    ]);
    expect((await take(fixture.log, 5)).map(({ seq }) => seq)).toEqual([16, 17, 18, 19, 20]);
  });

  test("loses nothing for a follower in the middle of a file", async () => {
    await using fixture = await openLog({ maxBytes: 300, keptSegments: 4 });
    await using follower = startFollower(fixture.log);
    fixture.log.append(warning("1"));
    fixture.log.append(warning("2"));
    await follower.next();

    for (let turn = 3; turn <= 12; turn++) fixture.log.append(warning(`${turn}`));

    expect((await readdir(fixture.segments)).length).toBeGreaterThan(1);
    for (let turn = 2; turn <= 12; turn++) {
      expect(await follower.next()).toMatchObject({ value: { seq: turn } });
    }
  });

  test("at each step of a follower's reading loses and repeats nothing", async () => {
    let steps = Number.POSITIVE_INFINITY;
    for (let step = 1; step <= steps; step++) {
      await using fixture = await openLog({ maxBytes: 1 });
      await using follower = startFollower(fixture.log);
      fixture.log.append(warning("1"));
      expect(await follower.next()).toMatchObject({ value: { seq: 1 } });
      fixture.log.append(warning("2"));

      const seen = [];
      {
        const hook = beforeStep(step, () => {
          fixture.log.append(warning("3"));
          fixture.log.append(warning("4"));
        });
        using _ = hook;
        for (let count = 2; count <= 4; count++) {
          seen.push((await follower.next()).value?.seq);
          if (!hook.hasRun && count === 2) {
            steps = step;
            break;
          }
        }
      }

      expect(seen, `rotated before step ${step}`).toEqual(step === steps ? [2] : [2, 3, 4]);
    }
    expect(steps).toBeGreaterThan(4);
  });

  test("is followed from another process", async () => {
    await using fixture = await openLog({ maxBytes: 2000, keptSegments: 1000 });
    const count = 2000;
    const child = spawn(
      process.execPath,
      ["--import", "tsx", join(import.meta.dirname, "event-follower.ts"), fixture.path],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const closed = once(child, "close");
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect(await lines.next()).toMatchObject({ value: "ready" });

    const seen: number[] = [];
    const read = async () => seen.push(Number((await lines.next()).value));
    for (let turn = 1; turn < count; turn++) {
      fixture.log.append(warning(`${turn}`));
      // Half of the time the follower waits for the writer, half of the time it lags behind.
      if (turn < count / 2 && turn % 20 === 0) while (seen.length < turn) await read();
      if (turn % 10 === 0) await nextTurn();
    }
    fixture.log.append(warning("stop"));
    while (seen.length < count) await read();

    expect(seen).toEqual(upTo(count));
    expect((await closed)[0]).toBe(0);
    expect((await readdir(fixture.segments)).length).toBeGreaterThan(50);
  });

  test("control: reading only the live file misses events", async () => {
    await using fixture = await openLog({ maxBytes: 2000 });

    for (let turn = 1; turn <= 100; turn++) fixture.log.append(warning(`${turn}`));

    expect(await readFile(fixture.path, "utf8")).not.toContain('"seq":50}');
  });

  test("right before a crash does not restart the numbering", async () => {
    await using fixture = await openLog({});
    fixture.log.append(warning("1"));
    fixture.log.append(warning("2"));
    fs.mkdirSync(fixture.segments);
    fs.renameSync(fixture.path, join(fixture.segments, "000001.jsonl"));

    const reopened = await fixture.reopen();
    reopened.append(warning("3"));

    expect(seqs(await take(reopened, 3))).toEqual([1, 2, 3]);
  });
});

test("a follower can start before there are any events", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "events.jsonl");
  const wakes = new Set<() => void>();
  const wakeSource: WakeSource = {
    subscribe: (_fileName, wake) => {
      wakes.add(wake);
      return () => wakes.delete(wake);
    },
  };
  const follower = startFollower(new FileEventReader({ path, wakes: wakeSource }));
  const next = follower.next();

  await using log = await FileEventLog.open({ path, clock: new ManualClock() });
  log.append(warning("1"));
  for (const wake of wakes) wake();

  expect(await next).toMatchObject({ value: { seq: 1 } });
  await follower[Symbol.asyncDispose]();
  expect(wakes.size).toBe(0);
});

test("a torn last line at any byte loses only itself, and no number is used twice", async () => {
  await using fixture = await openLog({});
  fixture.log.append(warning("1"));
  const { size: lineStart } = await stat(fixture.path);
  fixture.log.append(warning("2"));
  const bytes = await readFile(fixture.path);

  for (let length = lineStart; length < bytes.length; length++) {
    await writeFile(fixture.path, bytes.subarray(0, length));
    const reopened = await fixture.reopen();
    reopened.append(runStart("ada"));

    const isWhole = length === bytes.length - 1;
    const expected = isWhole
      ? [warning("1"), warning("2"), runStart("ada")]
      : [warning("1"), runStart("ada")];
    const seen = await take(reopened, expected.length);
    expect(
      seen.map(({ event }) => event),
      `cut at ${length}`,
    ).toEqual(expected);
    expect(seqs(seen), `cut at ${length}`).toEqual(upTo(expected.length));
  }
});

describe("a damaged line", () => {
  test("is skipped", async () => {
    await using fixture = await openLog({});
    fixture.log.append(warning("1"));
    await appendFile(fixture.path, 'not json\n{"type":"surprise","seq":9}\n\n');
    fixture.log.append(warning("2"));

    expect(seqs(await take(fixture.log, 2))).toEqual([1, 2]);
  });

  test("with a number that is too high hides no event after it", async () => {
    await using fixture = await openLog({ maxBytes: 200 });
    for (let turn = 1; turn <= 6; turn++) fixture.log.append(warning(`${turn}`));
    const text = await readFile(fixture.path, "utf8");
    await writeFile(fixture.path, text.replace('"seq":5}', '"seq":95}'));
    for (let turn = 7; turn <= 9; turn++) fixture.log.append(warning(`${turn}`));

    const seen = await take(fixture.log, 9);

    expect(seen.map(({ event }) => event)).toEqual(upTo(9).map((turn) => warning(`${turn}`)));
    expect(seqs(seen)).toContain(95);
  });
});

describe("a disk that is full", () => {
  const writeSync = fs.writeSync.bind(fs);
  const failures = {
    "refuses the write": {
      writeSync: () => {
        throw systemError("ENOSPC");
      },
    },
    "takes half of it": {
      writeSync: (descriptor: number, data: string | NodeJS.ArrayBufferView) =>
        writeSync(descriptor, Buffer.from(`${data}`).subarray(0, 10)),
    },
    "takes half of it and keeps it": {
      writeSync: (descriptor: number, data: string | NodeJS.ArrayBufferView) =>
        writeSync(descriptor, Buffer.from(`${data}`).subarray(0, 10)),
      ftruncateSync: () => {
        throw systemError("EIO");
      },
    },
  };

  test.each(Object.entries(failures))(
    "and %s loses events, and a warning says how many once there is space",
    async (_, failure) => {
      await using fixture = await openLog({});
      fixture.log.append(warning("before"));

      {
        using _patch = patchFs(fs, failure);
        for (const turn of upTo(3)) fixture.log.append(warning(`lost ${turn}`));
      }
      fixture.log.append(warning("after"));
      fixture.log.append(warning("later"));

      const seen = await take(fixture.log, 4);
      expect(seen.map(({ event }) => event)).toEqual([
        warning("before"),
        expect.objectContaining({ type: "warning", message: expect.stringMatching(/^3 events/) }),
        warning("after"),
        warning("later"),
      ]);
      expect(seqs(seen)).toEqual([...seqs(seen)].sort((a, b) => a - b));
      expect(seen[1]?.seq).toBeGreaterThan(4);
    },
  );

  test("control: without the failure the three events are there", async () => {
    await using fixture = await openLog({});

    for (const turn of upTo(3)) fixture.log.append(warning(`${turn}`));

    expect(seqs(await take(fixture.log, 3))).toEqual([1, 2, 3]);
  });
});

test("a log deleted under its writer continues in a new file, and so does its follower", async () => {
  await using fixture = await openLog({});
  await using follower = startFollower(fixture.log);
  for (const turn of upTo(3)) fixture.log.append(warning(`${turn}`));
  for (const turn of upTo(3)) {
    expect(await follower.next()).toMatchObject({ value: { seq: turn } });
  }

  await rm(fixture.path);
  fixture.log.append(warning("4"));

  expect(await follower.next()).toMatchObject({ value: { seq: 4 } });
});

test("a forged number above the maximum is damage, and the log continues", async () => {
  await using fixture = await openLog({});
  fixture.log.append(warning("1"));
  const forged = { ...warning("forged"), seq: Number.MAX_SAFE_INTEGER };
  await appendFile(fixture.path, `${JSON.stringify(forged)}\n`);

  const again = await fixture.reopen();
  again.append(warning("2"));

  expect(await again.lastSeq()).toBe(2);
});

test("seq is the last key of a line; files and directories are private", async () => {
  await using fixture = await openLog({ maxBytes: 1 });
  fixture.log.append(warning("1"));
  fixture.log.append(warning("2"));

  expect(await readFile(fixture.path, "utf8")).toMatch(/^{"type":"warning",.*,"seq":2}\n$/);
  const modes = await Promise.all(
    [fixture.path, fixture.segments, join(fixture.segments, "000001.jsonl")].map(async (path) =>
      ((await stat(path)).mode & 0o777).toString(8),
    ),
  );
  expect(modes).toEqual(["600", "700", "600"]);
});

async function openLog(options: { clock?: ManualClock; maxBytes?: number; keptSegments?: number }) {
  const directory = await temporaryDirectory();
  const path = join(directory.path, "events.jsonl");
  const reopen = () => FileEventLog.open({ path, clock: new ManualClock(), ...options });
  return {
    log: await reopen(),
    path,
    segments: join(directory.path, ".events"),
    reopen,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function seqs(events: readonly { seq: number }[]): number[] {
  return events.map(({ seq }) => seq);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
