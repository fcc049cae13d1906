import { expect, test } from "vitest";
import { lead, MemberName, newMessageId, user } from "../../src/protocol/ids.ts";
import { Message } from "../../src/protocol/message.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { deliveredIn } from "../../src/team/delivered-in.ts";
import { MemoryTranscript } from "../../src/transcript/memory-transcript.ts";

const alice = MemberName.parse("alice");
const at = "2026-01-01T09:00:00.000Z";
const gap: TranscriptEntry = { type: "gap", at, lost: 1 };

test("mail that was delivered, or shown in the result of a call, is known by position and id", async () => {
  const [first, second] = [mail(), mail()];
  const { positions, ids, lost, earlier } = await delivered([
    { type: "run-start", at },
    delivery(first, 10),
    {
      ...{ type: "tool-result", at, call_id: "c1", output: "mail", is_error: false },
      mail: [{ message: second, position: { generation: 0, offset: 20 } }],
    },
    { type: "tool-result", at, call_id: "c2", output: "none", is_error: false },
  ]);

  // One of a mailbox's log has all before it.
  expect(positions).toEqual([{ generation: 0, offset: 20 }]);
  expect(ids).toEqual(new Set([first.id, second.id]));
  expect(lost).toBeUndefined();
  expect(await earlier?.()).toEqual(ids);
});

test("in the transcript of another member, positions mean nothing, and ids do", async () => {
  const [own, foreign] = [mail(), mail({ to: alice })];
  const { positions, ids, lost } = await delivered([delivery(own, 10), gap, delivery(foreign, 20)]);

  expect([positions, lost]).toEqual([[], undefined]);
  expect(ids).toEqual(new Set([own.id, foreign.id]));
});

test("mail is lost after the last position before the first gap", async () => {
  const lostAfter = async (...entries: TranscriptEntry[]) => (await delivered(entries)).lost;
  const [first, second, third] = [10, 20, 30].map((offset) => delivery(mail(), offset)) as [
    TranscriptEntry,
    TranscriptEntry,
    TranscriptEntry,
  ];

  expect(await lostAfter(first, second, gap, third, gap)).toMatchObject({
    after: { generation: 0, offset: 20 },
  });
  expect(await lostAfter(gap, first)).toMatchObject({ after: undefined });
  expect(await lostAfter(first)).toBeUndefined();
  expect(await lostAfter(gap)).toBeUndefined();
  expect(await lostAfter()).toBeUndefined();
});

test("lost mail is given again, but not orders, nor what the member before it was sent", async () => {
  const entries = [delivery(mail(), 10), gap];
  const { lost } = await delivered(entries, new Date(5_000));
  const isWanted = (fields: Record<string, unknown>) => lost?.isWanted(mail(fields));

  expect(isWanted({ timestamp: 5 })).toBe(true);
  expect(isWanted({ timestamp: 4.999 })).toBe(false);
  const order = { type: "mode_set_request", mode: "plan", timestamp: 6 };
  expect(isWanted(order)).toBe(false);
  expect((await delivered(entries)).lost?.isWanted(mail({ timestamp: 0 }))).toBe(true);
});

async function delivered(entries: readonly TranscriptEntry[], since?: Date) {
  const transcript = new MemoryTranscript();
  if (entries.length > 0) await transcript.append(entries);
  return deliveredIn(transcript, { owner: lead, since });
}

function delivery(message: Message, offset: number): TranscriptEntry {
  return { type: "delivery", at, message, position: { generation: 0, offset } };
}

function mail(fields: Record<string, unknown> = {}): Message {
  return Message.parse({
    ...{ id: newMessageId(new Date(0)), type: "message", from: user, to: lead },
    ...{ content: "hi", timestamp: 0 },
    ...fields,
  });
}
