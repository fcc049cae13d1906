import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead } from "../../src/protocol/ids.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { FileHistory, hashOf } from "../../src/workspace/file-history.ts";

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

  const changes = await it.open().since(always);

  expect(changes).toMatchObject([
    { before: null, after: hashOf(one), member: "lead", path: "/w/a.txt", kept: true },
    { before: hashOf(one), after: hashOf(two) },
  ]);
  expect(it.open().content(hashOf(one))).toEqual(one);
  expect(it.open().content(hashOf(two))).toBeUndefined();
});

test("only changes since a time are given", async () => {
  await using it = await openHistory();
  await it.keep(undefined, one);
  it.clock.advance(1_000);
  await it.keep(one, two);

  expect(await it.history.since(it.clock.now())).toMatchObject([{ after: hashOf(two) }]);
});

test("P24 a content with a secret in it is not copied", async () => {
  await using it = await openHistory();
  const secret = Buffer.from("key=sk-very-secret-0123456789\n");

  await it.keep(secret, two);

  expect(await it.history.since(always)).toMatchObject([{ before: hashOf(secret), kept: false }]);
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

  expect(await it.open().since(always)).toMatchObject([{ path: "/w/a.txt" }]);
  expect(it.open().content(hashOf(one))).toBeUndefined();
});

test("P25 only the newest changes and their contents are kept, and it shows that there were more", async () => {
  await using it = await openHistory({ changes: 4, bytes: 1_000 });
  for (let number = 0; number < 9; number++) {
    await it.keep(Buffer.from(`before ${number}`), Buffer.from(`before ${number + 1}`));
  }

  const changes = await it.history.since(always);

  const [oldest, next] = changes;
  expect(changes.length).toBeLessThan(7);
  expect(it.history.content(oldest?.before ?? "")).toBeUndefined();
  expect(it.history.content(next?.before ?? "")).toBeDefined();
  const contents = (await readdir(it.directory)).filter((name) => name !== "changes.jsonl");
  expect(contents.length).toBe(changes.length - 1);
});

test("P25 large contents are bounded by their size", async () => {
  await using it = await openHistory({ changes: 4, bytes: 10 });
  for (const before of [Buffer.alloc(8, "x"), Buffer.alloc(8, "y"), one, two, three]) {
    await it.keep(before, Buffer.from("after"));
  }

  const kept = (await it.history.since(always)).map(({ before }) => before);
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

  expect(await again.since(always)).toMatchObject([{ before: null }, { before: hashOf(one) }]);
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
