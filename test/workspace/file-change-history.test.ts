import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import { hashOf } from "../../src/lib/content-file.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead } from "../../src/protocol/ids.ts";
import { testChangeHistory } from "../../src/testing/conformance/change-history.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import type { ChangeHistory } from "../../src/workspace/change-history.ts";
import { ChangeKeepers } from "../../src/workspace/change-keepers.ts";
import { FileChangeHistory } from "../../src/workspace/file-change-history.ts";

const [one, two, three] = ["one", "two", "three"].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
];
const always = new Date(0);

testChangeHistory("FileChangeHistory", async (limits) => {
  const it = await openHistory(limits);
  return { ...it, reopen: it.open };
});

test("P24 a content with a secret in it is not copied", async () => {
  await using it = await openHistory();
  const secret = Buffer.from("key=sk-very-secret-0123456789\n");

  await it.keep(secret, two);

  const { changes } = await it.history.since(always);
  expect(changes).toMatchObject([{ before: hashOf(secret), kept: false }]);
  expect(await it.history.content(hashOf(secret))).toBeUndefined();
  expect(await readdir(it.directory)).toEqual(["changes.jsonl"]);
});

test("P13 a line that troupe did not write, and a content that was changed, do not count", async () => {
  await using it = await openHistory();
  await it.keep(one, two);
  const log = join(it.directory, "changes.jsonl");
  const [line = ""] = (await readFile(log, "utf8")).split("\n");
  await writeFile(log, `${line}\n${line.replace("/w/a.txt", "/w/b.txt")}\n`);
  await writeFile(join(it.directory, hashOf(one)), "other");

  expect((await it.open().since(always)).changes).toMatchObject([{ path: "/w/a.txt" }]);
  expect(await it.open().content(hashOf(one))).toBeUndefined();
});

test("P25 large contents are bounded by their size", async () => {
  await using it = await openHistory({ changes: 4, bytes: 10 });
  for (const before of [Buffer.alloc(8, "x"), Buffer.alloc(8, "y"), one, two, three]) {
    await it.keep(before, Buffer.from("after"));
  }

  const kept = (await it.history.since(always)).changes.map(({ before }) => before);
  expect(kept).not.toContain(hashOf(Buffer.alloc(8, "x")));
  expect(kept).toContain(hashOf(three));
});

test("P25 the contents are never larger together than their limit, however few the changes are", async () => {
  await using it = await openHistory({ changes: 2_000, bytes: 100 });
  let history = it.open();
  for (let number = 0; number < 20; number++) {
    // The next process counts what the one before has kept.
    if (number % 5 === 0) history = it.open();
    const before = Buffer.from(`${number}`.padStart(30, "x"));
    await it.keepers(history).of(lead).keep({ root: "/w", path: "/w/a.txt", before, after: one });

    const names = await readdir(it.directory);
    const kept = await Promise.all(names.map((hash) => history.content(hash)));
    const bytes = kept.reduce((sum, content) => sum + (content?.length ?? 0), 0);
    expect(bytes).toBeLessThanOrEqual(100);
    expect(await history.content(hashOf(before))).toEqual(before);
  }
});

test("a torn line of a killed process is moved aside, and nothing else is lost", async () => {
  await using it = await openHistory();
  await it.keep(undefined, one);
  await writeFile(join(it.directory, "changes.jsonl"), '{"at":"20', { flag: "a" });

  const again = it.open();
  await it.keepers(again).of(lead).keep({ root: "/w", path: "/w/a.txt", before: one, after: two });

  expect((await again.since(always)).changes).toMatchObject([
    { before: null },
    { before: hashOf(one) },
  ]);
});

async function openHistory(limits?: { changes: number; bytes: number }) {
  const root = await temporaryDirectory();
  const directory = join(root.path, "checkpoints");
  const clock = new ManualClock();
  const signer = hmacSignature(Buffer.alloc(32, 1));
  const secrets = new Secrets(["sk-very-secret-0123456789"]);
  const open = () =>
    new FileChangeHistory({
      ...{ directory, clock, signer, onWarning: () => undefined },
      ...(limits && { limits }),
    });
  const keepers = (kept: ChangeHistory) => new ChangeKeepers(kept, secrets);
  const history = open();
  return {
    ...{ directory, clock, open, history, keepers },
    keep: (before: Buffer | undefined, after: Buffer) =>
      keepers(history).of(lead).keep({ root: "/w", path: "/w/a.txt", before, after }),
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
  };
}
