import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { FileUsageLedger } from "../../src/logs/file-usage-ledger.ts";
import { FileUsageReader } from "../../src/logs/file-usage-reader.ts";
import { lead } from "../../src/protocol/ids.ts";
import type { UsageRecord } from "../../src/protocol/usage.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const onDamage = ({ reason }: { reason: string }) => {
  throw new Error(reason);
};
const call: UsageRecord = {
  ...{ type: "call", member: lead, model: "rehearsal", at: "2026-01-01T09:00:00.000Z" },
  ...{ input_tokens: 1, output_tokens: 1, cache_read_tokens: 0, cache_write_tokens: 0 },
  cost_usd: 0.1,
};

async function openLedger(path: string) {
  return FileUsageLedger.open({
    path,
    clock: systemClock,
    onDamage,
    maxBytes: 1_000,
    keptSegments: 3,
  });
}

test("the totals are updated over rotations from new lines only", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  const ledger = await openLedger(path);
  const reader = new FileUsageReader(path, { onDamage });

  for (let calls = 1; calls <= 60; calls++) {
    await ledger.record(call);
    if (calls % 7 !== 0) continue;
    expect(await reader.totals()).toEqual(await ledger.totals());
  }

  expect((await reader.totals()).get(lead)).toMatchObject({ calls: 60, cost_usd: 6 });
  expect((await reader.readSums()).byMember().get(lead)?.model).toBe("rehearsal");
});

test("a reader that starts late has the totals of calls that are no longer stored", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  const ledger = await openLedger(path);
  for (let calls = 0; calls < 60; calls++) await ledger.record(call);

  const reader = new FileUsageReader(path, { onDamage });

  expect(await reader.totals()).toEqual(await ledger.totals());
});

test("a ledger that was deleted is added up from its new start", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  await (await openLedger(path)).record(call);
  const reader = new FileUsageReader(path, { onDamage });
  await reader.totals();

  await rm(path);
  const another = await openLedger(path);
  await another.record({ ...call, cost_usd: 0.5 });
  await another.record({ ...call, cost_usd: 0.5 });

  expect((await reader.totals()).get(lead)).toMatchObject({ calls: 2, cost_usd: 1 });
});

test("two concurrent requests for the totals get the same result", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  const ledger = await openLedger(path);
  for (let calls = 0; calls < 60; calls++) await ledger.record(call);
  const reader = new FileUsageReader(path, { onDamage });

  const [first, second] = await Promise.all([reader.totals(), reader.totals()]);

  expect([first.get(lead)?.calls, second.get(lead)?.calls]).toEqual([60, 60]);
});

test("the lines are the stored calls, after the sum of the earlier ones", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  const ledger = await openLedger(path);
  for (let calls = 0; calls < 60; calls++) await ledger.record(call);
  const reader = new FileUsageReader(path, { onDamage });

  const { lines, after } = await reader.lines(1_000);
  await ledger.record(call);
  const since = await reader.lines(1_000, after);

  const [first, ...others] = lines;
  const calls = others.filter(({ type }) => type === "call").length;
  expect(first).toMatchObject({ type: "carried", members: [{ calls: 60 - calls }] });
  expect(since.lines.filter(({ type }) => type === "call")).toHaveLength(1);
  expect(since.isRestarted).toBe(false);
});

test("the lines of a replaced ledger are returned from its start", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  await (await openLedger(path)).record(call);
  const reader = new FileUsageReader(path, { onDamage });
  const { after } = await reader.lines(1_000);

  await rm(path);
  await (await openLedger(path)).record({ ...call, cost_usd: 0.5 });

  expect(await reader.lines(1_000, after)).toMatchObject({
    ...{ lines: [{ cost_usd: 0.5 }], isRestarted: true },
  });
});
