import { expect, test } from "vitest";
import { findUndone } from "../../src/agent/rewind.ts";
import { lead, MemberName, type MessageId, newMessageId, user } from "../../src/protocol/ids.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";

const seconds = (number: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, number));
const at = (number: number) => seconds(number).toISOString();
const alice = MemberName.parse("alice");
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

test("a call that had no result then is to be answered, with what came after the prompt undone", async () => {
  const undone = await undoneOf(
    said(2),
    called(11, "call-1", "call-2"),
    result(11, "call-1"),
    begun(11, "call-2"),
    result(13, "call-2"),
    called(14, "call-3"),
  );

  expect(undone).toMatchObject({ voids: 2, isRunOpen: true });
  expect(undone.open.map(({ call_id }) => call_id)).toEqual(["call-2"]);
  expect(undone.calls.map(({ call_id }) => call_id)).toEqual(["call-2", "call-3"]);
});

test("a prompt that came with the result of a call is undone with that result", async () => {
  const shown = { ...result(12, "call-2"), mail: [received({ id: prompt, sent: 10 })] };
  const undone = await undoneOf(
    called(11, "call-1", "call-2"),
    result(12, "call-1"),
    shown,
    said(13),
  );

  expect(undone).toMatchObject({ voids: 2, open: [{ call_id: "call-2" }] });
});

test("the end of a run that was not settled is undone: it ends again, with a report", async () => {
  const undone = await undoneOf(start(1), said(2), ended(11), { type: "run-settled", at: at(12) });

  expect(undone).toMatchObject({ voids: 2, isRunOpen: true });
});

test("mail from before is given again: of the person if it was sent before the prompt, of others if before it was seen", async () => {
  const undone = await undoneOf(
    said(2),
    mail(13, { sent: 5 }),
    mail(13, { sent: 11 }),
    mail(13, { sent: 11, from: alice }),
    mail(14, { sent: 13, from: alice }),
  );

  expect(undone).toMatchObject({
    voids: 4,
    again: [
      { message: { from: "user", timestamp: 5 + epoch } },
      { message: { from: "alice", timestamp: 11 + epoch } },
    ],
  });
});

test("what followed the prompt is undone, though the clock was set back since", async () => {
  const undone = await undoneOf(
    said(2),
    start(12),
    mail(12, { id: prompt, sent: 10 }),
    called(3, "call-1"),
    result(4, "call-1"),
    said(5),
  );

  expect(undone.voids).toBe(5);
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
  expect(await undoneOf(start(1), said(2))).toMatchObject({ voids: 0, calls: [], again: [] });
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

interface SentMail {
  id?: MessageId;
  sent: number;
  from?: MemberName;
}

function received({ id, sent, from = user }: SentMail) {
  const message = {
    ...{ type: "message" as const, id: id ?? newMessageId(seconds(sent)), from, to: lead },
    ...{ content: "Hello.", timestamp: epoch + sent },
  };
  return { message, position: { generation: 1, offset: sent } };
}

function mail(when: number, sent: SentMail): TranscriptEntry {
  return { type: "delivery", at: at(when), ...received(sent) };
}

function start(when: number): TranscriptEntry {
  return { type: "run-start", at: at(when) };
}

function said(when: number): TranscriptEntry {
  return { type: "reply", at: at(when), stop: "end", blocks: [{ type: "text", text: "Yes." }] };
}

function called(when: number, ...ids: string[]): TranscriptEntry {
  const made = ids.map((call_id) => {
    return { type: "tool-call" as const, call_id, name: "bash", input: {} };
  });
  return { type: "reply", at: at(when), stop: "tool-calls", blocks: made };
}

function ended(when: number): TranscriptEntry {
  return { type: "run-end", at: at(when), outcome: "done" };
}

function begun(when: number, call_id: string): TranscriptEntry {
  return { type: "tool-start", at: at(when), call_id };
}

function result(when: number, call_id: string) {
  return { type: "tool-result" as const, at: at(when), call_id, output: "", is_error: false };
}
