import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCursor, writeCursor } from "../../src/mailbox/mail-cursor.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

test("the cursor of another mailbox counts for nothing, and is told", async () => {
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
  expect(problems).toEqual([expect.stringContaining("of the mailbox of 'bob'")]);
});
