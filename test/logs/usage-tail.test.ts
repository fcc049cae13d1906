import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { FileUsageLedger } from "../../src/logs/file-usage-ledger.ts";
import { UsageHistory } from "../../src/logs/usage-history.ts";
import { UsageTail } from "../../src/logs/usage-tail.ts";
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

test("the totals are kept up over rotations, by what is new alone", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  const ledger = await openLedger(path);
  const tail = new UsageTail({ path, onDamage });

  for (let calls = 1; calls <= 60; calls++) {
    await ledger.record(call);
    if (calls % 7 !== 0) continue;
    expect(await tail.refresh()).toBe(true);
    expect(tail.totals()).toEqual(await ledger.totals());
  }
  await tail.refresh();

  expect(await tail.refresh()).toBe(false);
  expect(tail.totals().get(lead)).toMatchObject({ calls: 60, cost_usd: 6 });
  expect(tail.modelOf(lead)).toBe("rehearsal");
});

test("a tail that begins late has the totals of what is not kept any more", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  const ledger = await openLedger(path);
  for (let calls = 0; calls < 60; calls++) await ledger.record(call);

  const tail = new UsageTail({ path, onDamage });
  await tail.refresh();

  expect(tail.totals()).toEqual(await ledger.totals());
});

test("a ledger that was deleted is added up from its new start", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  await (await openLedger(path)).record(call);
  const tail = new UsageTail({ path, onDamage });
  await tail.refresh();

  await rm(path);
  const another = await openLedger(path);
  await another.record({ ...call, cost_usd: 0.5 });
  await another.record({ ...call, cost_usd: 0.5 });
  await tail.refresh();

  expect(tail.totals().get(lead)).toMatchObject({ calls: 2, cost_usd: 1 });
});

test("the history has the kept calls, behind what those before them add up to", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "usage.jsonl");
  const ledger = await openLedger(path);
  for (let calls = 0; calls < 60; calls++) await ledger.record(call);
  const history = new UsageHistory({ path, onDamage });

  const [first, ...others] = await all(history.readOn());
  await ledger.record(call);

  const calls = others.filter(({ type }) => type === "call").length;
  expect(first).toMatchObject({ type: "carried", members: [{ calls: 60 - calls }] });
  const since = await all(history.readOn());
  expect(since.filter(({ type }) => type === "call")).toHaveLength(1);
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
