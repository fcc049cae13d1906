import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { StoredCheckouts } from "../../src/checkouts/stored-checkouts.ts";
import { hmacSignature } from "../../src/keys/signature.ts";
import { MemoryRecords } from "../../src/lib/memory-records.ts";
import { CommitId, MemberName } from "../../src/protocol/ids.ts";
import { testCheckoutRecords } from "../../src/testing/conformance/checkout-records.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const signature = hmacSignature(Buffer.alloc(32, 7));

testCheckoutRecords("StoredCheckouts in memory", async () => {
  const clock = new ManualClock();
  const records: ConstructorParameters<typeof StoredCheckouts>[0]["records"] = new MemoryRecords();
  const open = () => new StoredCheckouts({ clock, signature, records });
  return {
    ...{ records: open(), clock, reopen: async () => open() },
    [Symbol.asyncDispose]: async () => undefined,
  };
});

testCheckoutRecords("StoredCheckouts in files", openFiles);

async function openFiles() {
  const directory = await temporaryDirectory();
  const clock = new ManualClock();
  const problems: string[] = [];
  const open = () =>
    StoredCheckouts.inFiles({
      ...{ directory: directory.path, clock, signature },
      onDamage: (problem) => void problems.push(problem),
    });
  return {
    ...{ records: open(), clock, problems, path: directory.path },
    reopen: async () => {
      const reopened = open();
      await reopened.repair();
      return reopened;
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("P37 an edited file makes no other directory a checkout", async () => {
  await using fixture = await openFiles();
  const alice = MemberName.parse("alice");
  const base = CommitId.parse("a".repeat(40));
  const record = await fixture.records.put({
    ...{ id: alice, state: "ready", path: "/checkouts/alice", repository: "/repo/.git", base },
    ...{ target: "troupe/default", branch: "troupe/alice", incarnation: "1", earlier: [] },
  });
  const path = join(fixture.path, "alice.json");
  const edited = (await readFile(path, "utf8")).replace("/checkouts/alice", "/home/ann");
  await writeFile(path, edited);
  await writeFile(join(fixture.path, ".versions", "alice", "2.json"), edited);

  const reopened = await fixture.reopen();

  // The number of the version that does not count is taken.
  expect(await reopened.get(alice)).toEqual({ ...record, version: 2 });
  expect(fixture.problems).toContainEqual(expect.stringContaining("was not written by troupe"));
});
