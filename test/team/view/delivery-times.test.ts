import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lead, newMessageId, user } from "../../../src/protocol/ids.ts";
import type { Message } from "../../../src/protocol/message.ts";
import type { TranscriptEntry } from "../../../src/protocol/transcript.ts";
import { findDeliveryTimes } from "../../../src/team/view/delivery-times.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";

const startMs = Date.parse("2026-01-01T09:00:00.000Z");
const position = { generation: 0, offset: 10 };

test("mail is found by its delivery, and in the result of a call that has shown it", async () => {
  const [delivered, shown, unseen] = [messageAt(0), messageAt(1), messageAt(2)];

  const times = await timesOf(
    [
      { type: "run-start", at: timeAt(0) },
      { type: "delivery", at: timeAt(3), message: delivered, position },
      {
        ...{ type: "tool-result", at: timeAt(4), call_id: "c1", output: "mail", is_error: false },
        mail: [{ message: shown, position }],
      },
      { type: "tool-result", at: timeAt(5), call_id: "c2", output: "none", is_error: false },
    ],
    [unseen, shown, delivered],
  );

  expect(times).toEqual(
    new Map([
      [delivered.id, timeAt(3)],
      [shown.id, timeAt(4)],
    ]),
  );
});

test("in a long transcript, each message is found from the time of its sending on", async () => {
  const seconds = Array.from({ length: 1_500 }, (_, index) => index);
  const messages = seconds.map(messageAt);
  const entries = messages.flatMap((message, second): TranscriptEntry[] => [
    { type: "note", at: timeAt(second), text: "x".repeat(500), wakes: false },
    { type: "delivery", at: timeAt(second), message, position },
  ]);
  const wanted = [0, 1, 700, 701, 1_498, 1_499].flatMap((second) => messages[second] ?? []);

  const times = await timesOf(entries, wanted);

  expect([...times].map(([id]) => id).sort()).toEqual(wanted.map(({ id }) => id).sort());
  expect(times.get(wanted[2]?.id ?? newMessageId(new Date(0)))).toBe(timeAt(700));
});

test("a message is looked for in the next 500 lines, and not in all that follow", async () => {
  const noted = (count: number): TranscriptEntry[] =>
    Array.from({ length: count }, () => ({
      ...{ type: "note", at: timeAt(1), text: "…", wakes: false },
    }));
  const message = messageAt(0);
  const isFoundAfter = async (lines: number) => {
    const delivery: TranscriptEntry = { type: "delivery", at: timeAt(2), message, position };
    return (await timesOf([...noted(lines), delivery, ...noted(5)], [message])).size === 1;
  };

  expect(await isFoundAfter(500)).toBe(true);
  expect(await isFoundAfter(501)).toBe(false);
});

test("the oldest messages are searched first, and no more than 10,000 lines are read in all", async () => {
  const last = messageAt(1_000);
  const entries = Array.from({ length: 1_200 }, (_, second): TranscriptEntry => {
    const at = timeAt(second);
    if (second === 1_000) return { type: "delivery", at, message: last, position };
    return { type: "note", at, text: "x".repeat(500), wakes: false };
  });
  // The search for a message that is nowhere reads 501 lines.
  const isFoundBeside = async (count: number) => {
    const missing = Array.from({ length: count }, () => messageAt(0));
    return (await timesOf(entries, [last, ...missing])).has(last.id);
  };

  expect(await isFoundBeside(19)).toBe(true);
  expect(await isFoundBeside(20)).toBe(false);
});

test("in a long transcript a line without a time, or out of order, does not mislead the search", async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "lead.jsonl");
  const messages = Array.from({ length: 600 }, (_, second) => messageAt(second));
  const lines = messages.flatMap((message, second) => [
    JSON.stringify({ type: "note", at: timeAt(second), text: "x".repeat(1_000), wakes: false }),
    second % 3 === 0 ? "{damaged" : "",
    JSON.stringify({ type: "delivery", at: timeAt(second), message, position }),
  ]);
  await writeFile(path, `${lines.join("\n")}\n`);
  const wanted = [0, 50, 299, 300, 599].flatMap((second) => messages[second] ?? []);

  const times = await findDeliveryTimes(path, wanted);

  expect(times).toEqual(
    new Map(wanted.map(({ id, timestamp }) => [id, timeAt(timestamp - startMs / 1_000)])),
  );
});

test("a failure that is no unreadable transcript is thrown", async () => {
  const path = "/nowhere/\0.jsonl";
  await expect(findDeliveryTimes(path, [messageAt(0)])).rejects.toThrow(/null bytes/);
});

test("a transcript that is a link is not read", async () => {
  await using directory = await temporaryDirectory();
  const [path, link] = ["lead.jsonl", "link.jsonl"].map((name) => join(directory.path, name)) as [
    string,
    string,
  ];
  const message = messageAt(0);
  const delivery = { type: "delivery", at: timeAt(1), message, position };
  await writeFile(path, `${JSON.stringify(delivery)}\n`);
  await symlink(path, link);

  expect((await findDeliveryTimes(path, [message])).size).toBe(1);
  expect(await findDeliveryTimes(link, [message])).toEqual(new Map());
});

test("without a transcript that can be read, nothing is found", async () => {
  await using directory = await temporaryDirectory();
  const folder = join(directory.path, "folder.jsonl");
  await mkdir(folder);

  for (const path of [folder, join(directory.path, "nothing.jsonl")]) {
    expect(await findDeliveryTimes(path, [messageAt(0)])).toEqual(new Map());
  }
});

function timeAt(second: number): string {
  return new Date(startMs + second * 1_000).toISOString();
}

function messageAt(second: number): Message {
  return {
    ...{ id: newMessageId(new Date(startMs)), type: "message", from: user, to: lead },
    ...{ content: "hi", timestamp: startMs / 1_000 + second },
  };
}

async function timesOf(entries: readonly TranscriptEntry[], messages: readonly Message[]) {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, "lead.jsonl");
  await writeFile(path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  return findDeliveryTimes(path, messages);
}
