import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  anchorOf,
  endsWithLine,
  markAt,
  openLog,
  startOfLog,
} from "../../src/mailbox/mail-scanner.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

async function logWith(directory: string, text: string): Promise<string> {
  const path = join(directory, "ada.jsonl");
  await writeFile(path, text);
  return path;
}

test("a mark is the end of a line, identified by the line's last 95 bytes", async () => {
  await using directory = await temporaryDirectory();
  const long = `${"y".repeat(50)}${"x".repeat(95)}`;
  const path = await logWith(directory.path, `one\ntwo\n${long}\ntail`);

  expect(await markAt(path, 0)).toEqual(startOfLog);
  expect(await markAt(path, 4)).toEqual({ offset: 4, tail: Buffer.from("one") });
  expect(await markAt(path, 8)).toEqual({ offset: 8, tail: Buffer.from("two") });
  expect(await markAt(path, 8 + 146)).toEqual({ offset: 154, tail: Buffer.from("x".repeat(95)) });
  expect(await markAt(path, 5)).toBeUndefined();
  expect(await markAt(path, 158)).toBeUndefined();
  expect(await markAt(path, 1000)).toBeUndefined();
  expect(await markAt(join(directory.path, "missing"), 4)).toBeUndefined();
});

test("a line exactly as long as a mark's tail is identified by all of it", async () => {
  await using directory = await temporaryDirectory();
  const path = await logWith(directory.path, `zz\n${"x".repeat(95)}\n${"y".repeat(94)}\n`);

  expect((await markAt(path, 99))?.tail.toString()).toBe("x".repeat(95));
  expect((await markAt(path, 194))?.tail.toString()).toBe("y".repeat(94));
});

test.each([
  ["", true],
  ["\n", true],
  ["one\n", true],
  ["one\ntwo", false],
  ["o", false],
])("whether %j ends with a whole line: %s", async (text, expected) => {
  await using directory = await temporaryDirectory();

  expect(await endsWithLine(await logWith(directory.path, text))).toBe(expected);
});

test("a missing log has no incomplete line", async () => {
  await using directory = await temporaryDirectory();

  expect(await endsWithLine(join(directory.path, "missing"))).toBe(true);
});

/** What follows `after` in a log, or what is wrong with the log. */
async function linesBehind(path: string, after: string) {
  const tail = Buffer.from(after.slice(0, -1));
  const log = await openLog(path, after ? { offset: after.length, tail } : startOfLog);
  if (log === "replaced" || !log) return log;
  await using _ = log;
  const lines: string[] = [];
  for await (const batch of log.lines) lines.push(...batch.map(({ bytes }) => bytes.toString()));
  expect(log.inode).toBe(String((await stat(path)).ino));
  return lines;
}

test.each([
  ["little", "two"],
  ["much", "x".repeat(70_000)],
])("reading continues after a mark if %s follows, and not in another log", async (_, more) => {
  await using directory = await temporaryDirectory();
  const path = await logWith(directory.path, `one\n${more}\n${more}\ntail`);

  expect(await linesBehind(path, "one\n")).toEqual([more, more]);
  expect(await linesBehind(path, "")).toEqual(["one", more, more]);
  expect(await linesBehind(path, "two\n")).toBe("replaced");
  expect(await linesBehind(join(directory.path, "missing"), "one\n")).toBeUndefined();
});

test("a log that is shorter than its mark was replaced", async () => {
  await using directory = await temporaryDirectory();
  const path = await logWith(directory.path, "one\n");

  expect(await linesBehind(path, "one\ntwo\nthree\n".slice(4))).toBe("replaced");
});

test("the bytes before a mark are the end of its line and the newline; at the start there are none", () => {
  expect(anchorOf({ offset: 4, tail: Buffer.from("one") }).toString()).toBe("one\n");
  expect(anchorOf(startOfLog)).toHaveLength(0);
});

test("something that is not a file cannot be read", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "ada.jsonl"));

  await expect(openLog(join(directory.path, "ada.jsonl"), startOfLog)).rejects.toThrow();
});
