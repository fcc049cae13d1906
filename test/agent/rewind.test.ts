import { expect, test } from "vitest";
import { findUndone } from "../../src/agent/rewind.ts";
import { lead, type MessageId, newMessageId, user } from "../../src/protocol/ids.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";

const seconds = (number: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, number));
const at = (number: number) => seconds(number).toISOString();
const prompt = newMessageId(seconds(10));
const point = { id: prompt, sentAt: seconds(10), seenAt: seconds(12) };

test("in the lead's transcript everything from the prompt on is undone, with the run's start", async () => {
  const undone = await undoneOf(
    mail(1, { sent: 1 }),
    said(2),
    start(12),
    mail(12, { id: prompt, sent: 10 }),
    called(13, "call-1"),
    result(14, "call-1"),
  );

  expect(undone).toMatchObject({ voids: 4, calls: [{ call_id: "call-1" }], again: [] });
});

test("in another transcript it begins with what came after the lead saw the prompt", async () => {
  const undone = await undoneOf(start(1), said(2), said(13), said(14));

  expect(undone.voids).toBe(2);
});

test("no call is left open, because it would be made again", async () => {
  const undone = await undoneOf(
    said(2),
    called(11, "call-1"),
    begun(11, "call-1"),
    result(13, "call-1"),
  );

  expect(undone.voids).toBe(3);
});

test("mail that was sent before the prompt and seen after it is given again", async () => {
  const early = mail(13, { sent: 5 });
  const undone = await undoneOf(said(2), early, mail(14, { sent: 13 }), said(15));

  expect(undone).toMatchObject({ voids: 3, again: [{ message: { timestamp: 5 + epoch } }] });
});

test("what an earlier rewind has made void counts among the entries, and decides nothing", async () => {
  const earlier: TranscriptEntry = { type: "rewind", at: at(20), voids: 2, delivered: [] };
  const undone = await undoneOf(said(2), called(13, "call-1"), said(14), earlier, said(21));

  expect(undone).toMatchObject({ voids: 4, calls: [] });
});

test("with an earlier rewind goes what that had made void", async () => {
  const earlier: TranscriptEntry = { type: "rewind", at: at(20), voids: 2, delivered: [] };
  const undone = await undoneOf(said(2), said(13), said(14), earlier);

  expect(undone.voids).toBe(3);
});

test("a transcript without anything later is left as it is", async () => {
  expect(await undoneOf(start(1), said(2))).toEqual({ voids: 0, calls: [], again: [] });
});

async function undoneOf(...entries: TranscriptEntry[]) {
  return findUndone(
    (async function* () {
      yield* entries;
    })(),
    point,
  );
}

const epoch = seconds(0).getTime() / 1000;

function mail(when: number, { id, sent }: { id?: MessageId; sent: number }): TranscriptEntry {
  const message = {
    ...{ type: "message" as const, id: id ?? newMessageId(seconds(sent)), from: user, to: lead },
    ...{ content: "Hello.", timestamp: epoch + sent },
  };
  return { type: "delivery", at: at(when), message, position: { generation: 1, offset: when } };
}

function start(when: number): TranscriptEntry {
  return { type: "run-start", at: at(when) };
}

function said(when: number): TranscriptEntry {
  return { type: "reply", at: at(when), stop: "end", blocks: [{ type: "text", text: "Yes." }] };
}

function called(when: number, call_id: string): TranscriptEntry {
  const call = { type: "tool-call" as const, call_id, name: "bash", input: {} };
  return { type: "reply", at: at(when), stop: "tool-calls", blocks: [call] };
}

function begun(when: number, call_id: string): TranscriptEntry {
  return { type: "tool-start", at: at(when), call_id };
}

function result(when: number, call_id: string): TranscriptEntry {
  return { type: "tool-result", at: at(when), call_id, output: "", is_error: false };
}
