import fs from "node:fs";
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Desk, openMailbox, takenIn } from "../../soak/desk.ts";
import { lead } from "../../src/protocol/ids.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { patchFs } from "../../src/testing/patched-fs.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const text = (content: string) => ({ type: "message", from: lead, content }) as const;

test("a line that its writer put into a rotated log and into the next is delivered once, after any number of rotations", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "inbox"));
  const clock = new ManualClock();
  const options = {
    directory: directory.path,
    clock,
    limits: { rotateBytes: 1, historyBytes: 1024 * 1024 },
  };
  await using desk = await Desk.open(options);
  await using elsewhere = openMailbox(options);
  await elsewhere.append(text("before the rotation"));
  await desk.drain();

  await elsewhere.append(text("in two logs"));
  await desk.drain();
  for (const content of ["three", "four", "five", "six"]) {
    await desk.mailbox.append(text(content));
    await desk.drain();
  }
  const woken = new Promise<void>((resolve) => desk.reader.onWake(resolve));
  await appendLate(directory.path);
  clock.advance(1000);
  await woken;
  await desk.drain();

  expect(await contents(directory.path)).toEqual([
    "before the rotation",
    "in two logs",
    "three",
    "four",
    "five",
    "six",
    "late",
  ]);
});

test("a line written just before the log is renamed is delivered, even if little history is kept", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "inbox"));
  const options = {
    directory: directory.path,
    clock: new ManualClock(),
    limits: { rotateBytes: 1, historyBytes: 1 },
  };
  await using desk = await Desk.open(options);
  await using elsewhere = openMailbox(options);
  await elsewhere.append(text("first"));

  const { rename } = fs.promises;
  using _ = patchFs(fs.promises, {
    rename: async (from, to) => {
      if (String(from).endsWith("ada.jsonl")) await elsewhere.append(text("just in time"));
      return rename(from, to);
    },
  });
  await desk.drain();
  await desk.drain();

  expect(await contents(directory.path)).toEqual(["first", "just in time"]);
});

test("a late line is found within a second, even if the log is rotated often", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(join(directory.path, "inbox"));
  const clock = new ManualClock();
  const limits = { rotateBytes: 1, historyBytes: 1024 * 1024 };
  await using desk = await Desk.open({ directory: directory.path, clock, limits });
  await desk.mailbox.append(text("before the rotation"));
  await desk.drain();

  await appendLate(directory.path);
  for (const content of ["one", "two"]) {
    clock.advance(500);
    await desk.mailbox.append(text(content));
    await desk.drain();
  }

  expect(await contents(directory.path)).toContain("late");
});

/** What a person does whose shell has opened the log before it was rotated. */
async function appendLate(directory: string): Promise<void> {
  await appendFile(join(directory, "inbox", ".ada", "000001.jsonl"), "late\n");
}

async function contents(directory: string): Promise<string[]> {
  const result: string[] = [];
  for await (const { content } of takenIn(directory)) result.push(content);
  return result;
}
