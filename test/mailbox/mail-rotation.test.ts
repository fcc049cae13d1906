import { appendFile, mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../src/keys/signature.ts";
import { mailLayout } from "../../src/mailbox/mail-layout.ts";
import { endLastLine, rotateLog, trimHistory } from "../../src/mailbox/mail-rotation.ts";
import { lead, MemberName } from "../../src/protocol/ids.ts";
import {
  contents,
  echo,
  livePath,
  openBox,
  openFileMailbox,
  readLive,
  temporaryDirectory,
} from "../support/file-mailbox.ts";

const signature = hmacSignature(Buffer.alloc(32, 7));

async function layoutIn(directory: string) {
  await mkdir(join(directory, "inbox", ".ada"), { recursive: true });
  return mailLayout(join(directory, "inbox"), MemberName.parse("ada"));
}

test("a missing log cannot be rotated, and any other failure is an error", async () => {
  await using directory = await temporaryDirectory();
  const layout = await layoutIn(directory.path);
  expect(await rotateLog(layout, 1)).toBeUndefined();
  await echo(directory.path, "one\n");

  expect(await rotateLog(layout, 1)).toBe(join(directory.path, "inbox", ".ada", "000001.jsonl"));
  await echo(directory.path, "two\n");
  await mkdir(join(directory.path, "inbox", ".ada", "000002.jsonl"));
  await expect(rotateLog(layout, 2)).rejects.toThrow();
});

test("a whole record without a newline gets one at the next start, and is delivered", async () => {
  await using directory = await temporaryDirectory();
  await layoutIn(directory.path);
  await openFileMailbox(directory.path).append({ type: "message", from: lead, content: "hello" });
  const { length } = await readFile(livePath(directory.path));
  await truncate(livePath(directory.path), length - 1);

  await using box = await openBox(directory.path);

  expect(await readLive(directory.path)).toHaveLength(length);
  expect(await contents(box.reader)).toEqual(["hello"]);
});

test.each([
  ["half a line by hand", "please stop"],
  ["a line with a signature that is wrong", `{"id":"1","sig":"${"0".repeat(64)}"}`],
  ["an object that nobody signed", '{"content":"hi"}'],
])("%s is not ended: more of it may follow", async (_, tail) => {
  await using directory = await temporaryDirectory();
  const layout = await layoutIn(directory.path);
  await echo(directory.path, `one\n${tail}`);

  await endLastLine(layout, signature);

  expect(await readLive(directory.path)).toBe(`one\n${tail}`);
});

test("a record after more bytes than a line may have is not ended", async () => {
  await using directory = await temporaryDirectory();
  const layout = await layoutIn(directory.path);
  await openFileMailbox(directory.path).append({ type: "message", from: lead, content: "hello" });
  const record = (await readLive(directory.path)).trim();
  const cut = `${"x".repeat(3 * 1024 * 1024)}${record}`;
  await writeFile(livePath(directory.path), cut);

  await endLastLine(layout, signature);

  expect(await readLive(directory.path)).toHaveLength(cut.length);
});

test("P25 the oldest segments are removed until the rest fits, but never the two newest", async () => {
  await using directory = await temporaryDirectory();
  const layout = await layoutIn(directory.path);
  const segments = join(directory.path, "inbox", ".ada");
  for (const n of [1, 2, 3, 4]) await appendFile(join(segments, `00000${n}.jsonl`), "x".repeat(10));

  expect(await trimHistory(layout, 40)).toEqual([]);
  expect(await trimHistory(layout, 39)).toEqual([1]);
  expect(await trimHistory(layout, 1)).toEqual([2]);
  expect((await readdir(segments)).sort()).toEqual(["000003.jsonl", "000004.jsonl"]);
});
