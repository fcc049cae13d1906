import fs from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead } from "../../src/protocol/ids.ts";
import { nothingDelivered } from "../../src/testing/conformance/mailbox.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { patchFs, systemError } from "../../src/testing/patched-fs.ts";
import {
  acknowledgeAll,
  contents,
  echo,
  livePath,
  openBox,
  readLive,
  sidePath,
  temporaryDirectory,
} from "../support/file-mailbox.ts";

const hello = { type: "message", from: lead, content: "hello" } as const;
const everyMessageRotates = { rotateBytes: 1, historyBytes: 64 * 1024 * 1024 };

function listWarnings() {
  const warnings: string[] = [];
  return { warnings, onWarning: (message: string) => warnings.push(message) };
}

/** Makes every renaming to or from a file of this name fail. */
function failRenames(name: string) {
  const { rename } = fs.promises;
  return patchFs(fs.promises, {
    rename: async (from, to) => {
      if ([from, to].some((path) => String(path).endsWith(name))) throw systemError("EIO");
      return rename(from, to);
    },
  });
}

async function segmentsIn(directory: string): Promise<string[]> {
  return (await readdir(sidePath(directory, "."))).filter((name) => /^\d/.test(name)).sort();
}

test("opening a mailbox creates a private log, and removes leftovers of a crash", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(sidePath(directory.path, "quarantine.jsonl"), { recursive: true });
  const { warnings, onWarning } = listWarnings();

  await using _ = await openBox(directory.path, { onWarning });

  expect((await stat(livePath(directory.path))).mode & 0o777).toBe(0o600);
  expect(warnings).toEqual([expect.stringContaining("quarantine.jsonl is a directory")]);
});

test("late lines are still searched after a restart, until the reader is closed", async () => {
  await using directory = await temporaryDirectory();
  const first = await openBox(directory.path, { limits: everyMessageRotates });
  await first.mailbox.append(hello);
  await acknowledgeAll(first.reader);
  await first[Symbol.asyncDispose]();
  const clock = new ManualClock();
  const second = await openBox(directory.path, { clock });
  await second.reader.unread();
  const woken = new Promise<void>((resolve) => second.reader.onWake(resolve));

  await writeFile(sidePath(directory.path, "000001.jsonl"), "late\n", { flag: "a" });
  clock.advance(1000);
  await woken;

  expect(await contents(second.reader)).toEqual(["late"]);
  await second[Symbol.asyncDispose]();
  expect(clock.pending).toBe(0);
});

test("a mailbox without segments is not polled", async () => {
  await using directory = await temporaryDirectory();
  const clock = new ManualClock();

  await using _ = await openBox(directory.path, { clock });

  expect(clock.pending).toBe(0);
});

test("a damaged cursor causes one warning, and the transcript is used instead", async () => {
  await using directory = await temporaryDirectory();
  const first = await openBox(directory.path);
  await first.mailbox.append(hello);
  const positions = (await first.reader.unread()).map(({ position }) => position);
  await first[Symbol.asyncDispose]();
  await writeFile(sidePath(directory.path, "cursor"), "damaged");
  const { warnings, onWarning } = listWarnings();

  const delivered = { ...nothingDelivered, positions };
  await using second = await openBox(directory.path, { delivered, onWarning });

  expect(await contents(second.reader)).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("The transcript tells what was read")]);
});

test("a cursor that cannot be written causes a warning at the start, and again after it could be written", async () => {
  await using directory = await temporaryDirectory();
  const { warnings, onWarning } = listWarnings();
  const settleOne = async (box: Awaited<ReturnType<typeof openBox>>) => {
    await box.mailbox.append(hello);
    await acknowledgeAll(box.reader);
  };
  const failing = failRenames("cursor");
  await using box = await openBox(directory.path, { onWarning });
  failing[Symbol.dispose]();
  expect(warnings).toHaveLength(1);

  for (const [isFailing, expected] of [
    [true, 2],
    [true, 2],
    [false, 2],
    [true, 3],
  ] as const) {
    using _ = isFailing ? failRenames("cursor") : undefined;
    await settleOne(box);
    expect(warnings).toHaveLength(expected);
  }
  expect(warnings.every((each) => each.includes("cursor cannot be written"))).toBe(true);
});

test("the cursor has the inode of the live log", async () => {
  await using directory = await temporaryDirectory();
  await using box = await openBox(directory.path);
  await box.mailbox.append(hello);
  await acknowledgeAll(box.reader);

  const cursor = JSON.parse(await readFile(sidePath(directory.path, "cursor"), "utf8"));

  expect(cursor).toMatchObject({
    ino: String((await stat(livePath(directory.path))).ino),
    generation: 1,
    offset: (await stat(livePath(directory.path))).size,
    anchor: { length: 96, hash: expect.stringMatching(/^[0-9a-f]{32}$/) },
  });
});

test("a log is rotated when it has reached its limit and has no unread mail", async () => {
  await using directory = await temporaryDirectory();
  await using first = await openBox(directory.path);
  const [one, two] = [await first.mailbox.append(hello), await first.mailbox.append(hello)];
  const rotateBytes = (await readLive(directory.path)).length;
  await first[Symbol.asyncDispose]();
  const limits = { ...everyMessageRotates, rotateBytes };
  await using second = await openBox(directory.path, { limits });
  await second.mailbox.append(hello);
  await second.reader.unread();

  await second.reader.acknowledge(one.id);
  await second.reader.acknowledge(two.id);
  expect(await segmentsIn(directory.path)).toEqual([]);
  await acknowledgeAll(second.reader);
  expect(await segmentsIn(directory.path)).toEqual(["000001.jsonl"]);
});

test("a log of exactly its limit is rotated, and segments are numbered without gaps", async () => {
  await using directory = await temporaryDirectory();
  await using first = await openBox(directory.path);
  await first.mailbox.append(hello);
  const limits = { ...everyMessageRotates, rotateBytes: (await readLive(directory.path)).length };
  await first[Symbol.asyncDispose]();
  await using second = await openBox(directory.path, { limits });

  await acknowledgeAll(second.reader);
  for (let n = 0; n < 2; n++) {
    await second.mailbox.append({ ...hello, content: "hello again" });
    await acknowledgeAll(second.reader);
  }

  expect(await segmentsIn(directory.path)).toEqual([
    "000001.jsonl",
    "000002.jsonl",
    "000003.jsonl",
  ]);
});

test("a failed rotation causes a warning, and is tried again with the next message", async () => {
  await using directory = await temporaryDirectory();
  const { warnings, onWarning } = listWarnings();
  await using box = await openBox(directory.path, { limits: everyMessageRotates, onWarning });
  await box.mailbox.append(hello);
  {
    using _ = failRenames("ada.jsonl");
    await acknowledgeAll(box.reader);
  }
  expect(warnings).toEqual([expect.stringContaining("ada.jsonl could not be archived")]);

  await box.mailbox.append(hello);
  await acknowledgeAll(box.reader);

  expect(await segmentsIn(directory.path)).toEqual(["000001.jsonl"]);
});

test("mail that a rotation finds at the end of the old log wakes the listeners", async () => {
  await using directory = await temporaryDirectory();
  await using box = await openBox(directory.path, { limits: everyMessageRotates });
  const sent = await box.mailbox.append(hello);
  await box.reader.unread();
  await echo(directory.path, "meanwhile\n");
  let wakes = 0;
  box.reader.onWake(() => wakes++);

  await box.reader.acknowledge(sent.id);

  expect(wakes).toBe(1);
  expect(await contents(box.reader)).toEqual(["meanwhile"]);
  await acknowledgeAll(box.reader);
  expect(wakes).toBe(1);
});

test("a process that may no longer write sets nothing aside, acknowledges nothing and gives nothing back", async () => {
  await using directory = await temporaryDirectory();
  let isLead = true;
  const check = async () => {
    if (!isLead) throw new Error("no longer the lead");
  };
  await using box = await openBox(directory.path, { check });
  const sent = await box.mailbox.append(hello);
  await box.reader.unread();
  const cursor = await readFile(sidePath(directory.path, "cursor"), "utf8");
  isLead = false;

  await expect(box.reader.acknowledge(sent.id)).rejects.toThrow("no longer the lead");
  await expect(box.reader.giveBack(sent.id)).rejects.toThrow("no longer the lead");
  await echo(directory.path, '{"damaged\n');
  await expect(box.reader.unread()).rejects.toThrow("no longer the lead");

  expect(await readdir(sidePath(directory.path, "."))).toEqual(["cursor"]);
  expect(await readFile(sidePath(directory.path, "cursor"), "utf8")).toBe(cursor);
  expect(box.setAside).toEqual([]);
});

test("mail from other processes wakes the reader while it is open", async () => {
  await using directory = await temporaryDirectory();
  const watched = new Map<string, () => void>();
  const watch = {
    subscribe: (name: string, listener: () => void) => {
      watched.set(name, listener);
      return () => watched.delete(name);
    },
  };
  const box = await openBox(directory.path, { watch });
  let wakes = 0;
  box.reader.onWake(() => wakes++);

  watched.get("ada.jsonl")?.();

  expect(wakes).toBe(1);
  await box.mailbox[Symbol.asyncDispose]();
  expect([...watched.keys()]).toEqual([]);
  await box.mailbox.append(hello);
  expect(wakes).toBe(1);
  await using again = await box.mailbox.openReader({
    delivered: nothingDelivered,
    onSetAside: () => undefined,
  });
  expect(await contents(again)).toEqual(["hello"]);
});

test("a damaged record of lines set aside does not prevent opening", async () => {
  await using directory = await temporaryDirectory();
  await mkdir(sidePath(directory.path, "."), { recursive: true });
  for (const name of ["quarantine.jsonl", "returned.jsonl"]) {
    await writeFile(join(sidePath(directory.path, name)), 'damaged\n{"id":7}\n');
  }

  await using box = await openBox(directory.path);
  await box.mailbox.append(hello);

  expect(await contents(box.reader)).toEqual(["hello"]);
});
