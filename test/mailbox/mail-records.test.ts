import { mkdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isSettled, type MailCursor } from "../../src/mailbox/mail-cursor.ts";
import { SeenIds } from "../../src/mailbox/seen-ids.ts";
import { SideLog } from "../../src/mailbox/side-log.ts";
import { MemberName, newMessageId } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const cursor: MailCursor = {
  ino: "1",
  generation: 5,
  offset: 100,
  anchor: { length: 0, hash: "" },
  segments: [{ generation: 4, offset: 50 }],
};

test.each([
  [5, 100, true],
  [5, 101, false],
  [6, 0, false],
  [4, 50, true],
  [4, 51, false],
  // A log that is watched no more was settled to its end.
  [3, 1_000, true],
])("in log %d, everything up to %d is acknowledged: %s", (generation, offset, expected) => {
  expect(isSettled(cursor, { generation, offset })).toBe(expected);
});

test("without a cursor nothing is acknowledged", () => {
  expect(isSettled(undefined, { generation: 1, offset: 0 })).toBe(false);
});

function record(text: string) {
  const id = newMessageId(new Date(0));
  return { id, generation: 1, offset: 0, reason: "why", text, at: new Date(0).toISOString() };
}

test("lines set aside are recorded once, also across restarts", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "quarantine.jsonl");
  const [first, second] = [record("one"), record("two")];
  const log = await SideLog.open(path);

  await log.add([first]);
  await log.add([first, second]);
  await (await SideLog.open(path)).add([first, second]);

  expect((await readFile(path, "utf8")).trim().split("\n")).toHaveLength(2);
  expect([log.has(first.id), log.has(record("three").id)]).toEqual([true, false]);
});

test("P25 the record of lines set aside is limited, and its newer half is kept", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "quarantine.jsonl");
  const long = "x".repeat(400 * 1024);
  const records = Array.from({ length: 12 }, () => record(long));
  const log = await SideLog.open(path);

  for (const each of records) await log.add([each]);

  const known = records.map(({ id }) => log.has(id));
  expect((await stat(path)).size).toBeLessThan(2 * 1024 * 1024);
  expect(known[0]).toBe(false);
  expect(known.slice(-4)).toEqual([true, true, true, true]);
});

test("an id counts as seen if it was added, delivered or remembered before", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "inbox"));
  const [added, delivered, earlier, unknown] = [1, 2, 3, 4].map((ms) => newMessageId(new Date(ms)));
  if (!added || !delivered || !earlier || !unknown) throw new Error("no ids");
  const seen = new SeenIds({
    owner: MemberName.parse("ada"),
    signature: undefined,
    directory: join(directory.path, "inbox"),
    delivered: new Set([delivered]),
  });

  seen.add(1, added);
  seen.remember([earlier]);

  expect(await Promise.all([added, delivered, earlier, unknown].map((id) => seen.has(id)))).toEqual(
    [true, true, true, false],
  );
  expect(seen.isPlainlyNew(unknown)).toBe(true);
  expect(seen.isPlainlyNew(added)).toBe(false);
});

test("a message that claims to be older than everything in memory is not assumed to be new", async () => {
  await using directory = await temporaryDirectory();
  const [old, second, between, tenth] = [1, 2, 3, 4].map((ms) => newMessageId(new Date(ms)));
  if (!old || !second || !between || !tenth) throw new Error("no ids");
  const seen = new SeenIds({
    owner: MemberName.parse("ada"),
    signature: undefined,
    directory: directory.path,
    delivered: new Set(),
  });

  // The oldest log is the one with the lowest number, whichever was read first, and 10 is not below 2.
  seen.add(10, tenth);
  seen.add(2, second);

  expect(seen.isPlainlyNew(old)).toBe(false);
  expect(await seen.has(old)).toBe(false);
  expect(seen.isPlainlyNew(between)).toBe(true);
  seen.forgetBefore(10);
  expect(seen.isPlainlyNew(between)).toBe(false);
});
