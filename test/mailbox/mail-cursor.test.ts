import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hashAnchor, readCursor, writeCursor } from "../../src/mailbox/mail-cursor.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test("the cursor of another mailbox is ignored, and reported", async () => {
  await using directory = await temporaryDirectory();
  const [ada, bob] = ["ada", "bob"].map((name) => join(directory.path, `.${name}`, "cursor"));
  if (!ada || !bob) throw new Error("There are two");
  for (const path of [ada, bob]) await mkdir(join(path, ".."));
  const cursor = { generation: 1, offset: 7, ino: "1", anchor: { length: 1, hash: "a" } };
  await writeCursor(bob, { ...cursor, segments: [] });
  await copyFile(bob, ada);
  const problems: string[] = [];

  expect(await readCursor(bob, (problem) => problems.push(problem))).toMatchObject(cursor);
  expect(problems).toEqual([]);
  expect(await readCursor(ada, (problem) => problems.push(problem))).toBeUndefined();
  expect(problems).toEqual([expect.stringContaining("belongs to the mailbox of 'bob'")]);
});

test("a cursor without an owner is used for its mailbox", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, ".ada", "cursor");
  await mkdir(join(path, ".."));
  const anchor = hashAnchor(Buffer.from("abc"));
  const cursor = { generation: 1, offset: 3, ino: "1", anchor, segments: [] };
  await writeFile(path, JSON.stringify(cursor));

  expect(await readCursor(path)).toEqual(cursor);
  expect(anchor).toEqual({ length: 3, hash: "ba7816bf8f01cfea414140de5dae2223" });
});

test("an unreadable cursor is an error, not a missing cursor", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, ".ada", "cursor"), { recursive: true });

  await expect(readCursor(join(directory.path, ".ada", "cursor"))).rejects.toThrow();
});
