import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import { hashOf } from "../../src/lib/content-file.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead } from "../../src/protocol/ids.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { FileHistory } from "../../src/workspace/file-history.ts";

const [one, two, three] = ["one", "two", "three"].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
];
const always = new Date(0);

test("each change is known with the content before it, by another process too", async () => {
  await using it = await openHistory();
  await it.keep(undefined, one);
  await it.keep(one, two);

  const { changes, isWhole } = await it.open().since(always);

  expect(isWhole).toBe(true);
  expect(changes).toMatchObject([
    { before: null, after: hashOf(one), member: "lead", path: "/w/a.txt", kept: true },
    { before: hashOf(one), after: hashOf(two) },
  ]);
  expect(it.open().content(hashOf(one))).toEqual(one);
  expect(it.open().content(hashOf(two))).toBeUndefined();
});

test("only changes since a time are given, and all that followed them, though the clock was set back", async () => {
  await using it = await openHistory();
  await it.keep(undefined, one);
  it.clock.advance(1_000);
  await it.keep(one, two);
  const since = it.clock.now();
  it.clock.jump(-3_600_000);
  await it.keep(two, three);

  expect((await it.history.since(since)).changes).toMatchObject([
    { after: hashOf(two) },
    { after: hashOf(three) },
  ]);
});

test("a rewind's own changes are known as the person's, and drop nothing that it may need", async () => {
  await using it = await openHistory({ changes: 2_000, bytes: one.length + two.length });
  await it.keep(one, two);

  await it.open().ofRewind().keep({ root: "/w", path: "/w/a.txt", before: two, after: undefined });
  await it.open().ofRewind().keep({ root: "/w", path: "/w/a.txt", before: three, after: one });

  const { changes, isWhole } = await it.open().since(always);
  expect(isWhole).toBe(true);
  expect(changes).toMatchObject([
    { member: "lead", kept: true },
    { member: "user", before: hashOf(two), after: null, kept: true },
    { member: "user", before: hashOf(three), after: hashOf(one), kept: false },
  ]);
  expect(it.open().content(hashOf(one))).toEqual(one);
});

test("P24 a content with a secret in it is not copied", async () => {
  await using it = await openHistory();
  const secret = Buffer.from("key=sk-very-secret-0123456789\n");

  await it.keep(secret, two);

  const { changes } = await it.history.since(always);
  expect(changes).toMatchObject([{ before: hashOf(secret), kept: false }]);
  expect(it.history.content(hashOf(secret))).toBeUndefined();
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
  expect(it.open().content(hashOf(one))).toBeUndefined();
});

test("P25 only the newest changes and their contents are kept, and it is known until when some were dropped", async () => {
  await using it = await openHistory({ changes: 4, bytes: 1_000 });
  const times: Date[] = [];
  for (let number = 0; number < 20; number++) {
    it.clock.advance(1_000);
    times.push(it.clock.now());
    await it.keep(Buffer.from(`before ${number}`), Buffer.from(`before ${number + 1}`));
  }

  const known = await Promise.all(times.map((time) => it.open().since(time)));

  const { changes } = await it.history.since(always);
  expect(changes.length).toBeLessThan(7);
  expect(changes.every(({ before }) => it.history.content(before ?? ""))).toBe(true);
  const first = times.length - changes.length;
  expect(known.map(({ isWhole }) => isWhole)).toEqual(times.map((_, number) => number >= first));
  const contents = (await readdir(it.directory)).filter((name) => name !== "changes.jsonl");
  expect(contents.length).toBe(changes.length);
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
    await history.of(lead).keep({ root: "/w", path: "/w/a.txt", before, after: one });

    const kept = (await readdir(it.directory)).map((hash) => history.content(hash)?.length ?? 0);
    expect(kept.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(100);
    expect(history.content(hashOf(before))).toEqual(before);
  }
});

test("a torn line of a killed process is moved aside, and nothing else is lost", async () => {
  await using it = await openHistory();
  await it.keep(undefined, one);
  await writeFile(join(it.directory, "changes.jsonl"), '{"at":"20', { flag: "a" });

  const again = it.open();
  await again.of(lead).keep({ root: "/w", path: "/w/a.txt", before: one, after: two });

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
    new FileHistory({
      ...{ directory, clock, signer, secrets, onWarning: () => undefined },
      ...(limits && { limits }),
    });
  const history = open();
  return {
    ...{ directory, clock, open, history },
    keep: (before: Buffer | undefined, after: Buffer) =>
      history.of(lead).keep({ root: "/w", path: "/w/a.txt", before, after }),
    [Symbol.asyncDispose]: () => root[Symbol.asyncDispose](),
  };
}
