import fs from "node:fs";
import { appendFile, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Damage } from "../../src/lib/json-lines.ts";
import { FileUsageLedger } from "../../src/logs/file-usage-ledger.ts";
import { FileUsageReader } from "../../src/logs/file-usage-reader.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { call, testUsageLedger } from "../../src/testing/conformance/usage-ledger.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { beforeStep, patchFs, systemError } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const ada = MemberName.parse("ada");

testUsageLedger("FileUsageLedger", async () => {
  const fixture = await openLedger({});
  return { ...fixture, reopen: async () => fixture.observe() };
});

testUsageLedger("FileUsageLedger that rotates with every call", async () => {
  const fixture = await openLedger({ maxBytes: 1 });
  return { ...fixture, reopen: async () => fixture.observe() };
});

describe("rotation", () => {
  test("carries the totals over, so that old segments can be removed", async () => {
    await using fixture = await openLedger({ maxBytes: 1000, keptSegments: 2 });

    for (let turn = 0; turn < 100; turn++) {
      await fixture.ledger.record(call("ada", { input_tokens: 1, cost_usd: 0.1 }));
    }

    expect((await readdir(fixture.segments)).length).toBe(2);
    expect((await stat(fixture.path)).size).toBeLessThan(1500);
    for (const ledger of [fixture.ledger, fixture.observe(), await fixture.reopen()]) {
      expect((await ledger.totals()).get(ada)).toMatchObject({ calls: 100, cost_usd: 10 });
    }
  });

  test("interrupted by a crash loses nothing and counts nothing twice", async () => {
    await using fixture = await openLedger({ maxBytes: 1000 });
    for (let turn = 0; turn < 20; turn++) await fixture.ledger.record(call("ada", {}));
    const segments = await readdir(fixture.segments);

    // Where the writer dies after the rename and before its next call.
    await rename(fixture.path, join(fixture.segments, `00000${segments.length + 1}.jsonl`));

    expect((await fixture.observe().totals()).get(ada)?.calls).toBe(20);
    const reopened = await fixture.reopen();
    await reopened.record(call("ada", {}));
    expect((await reopened.totals()).get(ada)?.calls).toBe(21);
    expect((await fixture.observe().totals()).get(ada)?.calls).toBe(21);
    expect(await readFile(fixture.path, "utf8")).toMatch(/^{"type":"carried",/);
  });

  test("survives the loss of the carried line: the earlier segments have the same totals", async () => {
    await using fixture = await openLedger({ maxBytes: 400, keptSegments: 8 });
    for (let turn = 0; turn < 12; turn++) await fixture.ledger.record(call("ada", {}));
    const [newest] = (await readdir(fixture.segments)).sort().reverse();

    for (const path of [fixture.path, join(fixture.segments, newest ?? "")]) {
      const text = await readFile(path, "utf8");
      await writeFile(path, text.replace('"carried"', '"carriex"'));
    }

    expect((await fixture.observe().totals()).get(ada)?.calls).toBe(12);
    expect(fixture.damages).toHaveLength(2);
  });

  test("control: only the carried line and the segments have the older calls", async () => {
    await using fixture = await openLedger({ maxBytes: 400 });
    for (let turn = 0; turn < 12; turn++) await fixture.ledger.record(call("ada", {}));

    const text = await readFile(fixture.path, "utf8");
    await writeFile(fixture.path, text.replace('"carried"', '"carriex"'));
    await rm(fixture.segments, { recursive: true });

    expect((await fixture.observe().totals()).get(ada)?.calls).toBeLessThan(12);
  });

  test("at any step of an observer's reading shows the bill before or after it", async () => {
    let isOver = false;
    for (let step = 1; !isOver; step++) {
      await using fixture = await openLedger({ maxBytes: 1 });
      await fixture.ledger.record(call("ada", { input_tokens: 1 }));
      const records: Promise<void>[] = [];
      using hook = beforeStep(step, () => {
        records.push(fixture.ledger.record(call("ada", { input_tokens: 10 })));
      });

      const seen = (await fixture.observe().totals()).get(ada)?.input_tokens;

      await Promise.all(records);
      expect([1, 11], `rotated before step ${step}`).toContain(seen);
      isOver = !hook.hasRun;
    }
  });

  test("that fails refuses the call; recorded again, it counts once", async () => {
    await using fixture = await openLedger({ maxBytes: 1 });
    await fixture.ledger.record(call("ada", {}));

    {
      using _ = patchFs(fs, {
        renameSync: () => {
          throw systemError("EIO");
        },
      });
      await expect(fixture.ledger.record(call("ada", {}))).rejects.toMatchObject({
        code: "write-failed",
      });
    }
    await fixture.ledger.record(call("ada", {}));

    expect((await fixture.ledger.totals()).get(ada)?.calls).toBe(2);
    expect((await fixture.observe().totals()).get(ada)?.calls).toBe(2);
  });
});

test("a torn last call is set aside at every byte, and the rest adds up", async () => {
  await using fixture = await openLedger({});
  await fixture.ledger.record(call("ada", {}));
  const { size: lineStart } = await stat(fixture.path);
  await fixture.ledger.record(call("ada", {}));
  const bytes = await readFile(fixture.path);

  for (let length = lineStart; length < bytes.length; length++) {
    await writeFile(fixture.path, bytes.subarray(0, length));
    const reopened = await fixture.reopen();
    await reopened.record(call("ada", {}));

    const expected = length === bytes.length - 1 ? 3 : 2;
    expect((await reopened.totals()).get(ada)?.calls, `cut at ${length}`).toBe(expected);
    expect((await fixture.observe().totals()).get(ada)?.calls, `cut at ${length}`).toBe(expected);
  }
});

test("P18 a call that could not be written is not in the totals, in memory or on disk", async () => {
  const writeSync = fs.writeSync.bind(fs);
  for (const ftruncateSync of [fs.ftruncateSync.bind(fs), failToTruncate]) {
    await using fixture = await openLedger({});
    await fixture.ledger.record(call("ada", {}));

    {
      using _ = patchFs(fs, {
        writeSync: (descriptor: number, data: string | NodeJS.ArrayBufferView) =>
          writeSync(descriptor, Buffer.from(`${data}`).subarray(0, 30)),
        ftruncateSync,
      });
      await expect(fixture.ledger.record(call("ada", {}))).rejects.toMatchObject({
        code: "write-failed",
      });
    }
    await fixture.ledger.record(call("ada", {}));

    expect((await fixture.ledger.totals()).get(ada)?.calls).toBe(2);
    expect((await fixture.observe().totals()).get(ada)?.calls).toBe(2);
  }
});

test("a damaged line is reported and loses only itself", async () => {
  await using fixture = await openLedger({});
  await fixture.ledger.record(call("ada", {}));
  const { size: offset } = await stat(fixture.path);
  const absurd = JSON.stringify(call("ada", { cost_usd: 1 })).replace('"cost_usd":1', "$&e300");
  await appendFile(fixture.path, `${absurd}\nnot json\n`);
  await fixture.ledger.record(call("ada", {}));

  const reopened = await fixture.reopen();

  expect((await reopened.totals()).get(ada)).toMatchObject({ calls: 2, cost_usd: 0 });
  expect(fixture.damages).toMatchObject([{ offset }, { path: fixture.path }]);
});

test("a ledger deleted under its writer is started again with all totals", async () => {
  await using fixture = await openLedger({});
  await fixture.ledger.record(call("ada", {}));

  await rm(fixture.path);
  await fixture.ledger.record(call("ada", {}));

  expect((await fixture.observe().totals()).get(ada)?.calls).toBe(2);
});

function failToTruncate(): never {
  throw systemError("EIO");
}

async function openLedger(limits: { maxBytes?: number; keptSegments?: number }) {
  const directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  const damages: Damage[] = [];
  const onDamage = (damage: Damage) => damages.push(damage);
  const reopen = () =>
    FileUsageLedger.open({ path, clock: new ManualClock(), onDamage, ...limits });
  return {
    ledger: await reopen(),
    path,
    segments: join(directory.path, ".usage"),
    damages,
    reopen,
    observe: () => new FileUsageReader(path, { onDamage }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
