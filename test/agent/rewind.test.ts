import { expect, test } from "vitest";
import { findUndone, rewindTranscript } from "../../src/agent/rewind.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lead, MemberName, type MessageId, newMessageId, user } from "../../src/protocol/ids.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";

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
  const undone = await undoneOf(start(1), said(2), ended(11), settled(12));

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

test("a call from before the conversation was cleared needs no result", async () => {
  const cleared: TranscriptEntry = {
    ...{ type: "compaction", at: at(4), summary: "(cleared)", cleared: true },
    ...{ kept: [], wakes: false, delivered: [] },
  };

  expect((await undoneOf(called(2, "a"), said(13))).open).toHaveLength(1);
  expect((await undoneOf(called(2, "a"), ended(3), cleared, said(13))).open).toEqual([]);
});

test("a transcript without anything later is left as it is", async () => {
  expect(await undoneOf(start(1), said(2))).toMatchObject({ voids: 0, calls: [], again: [] });
});

test("P39 mail from before starts a run again, behind the results of open calls", async () => {
  const early = mail(13, { sent: 11, from: alice });
  const { hasWork, added } = await rewound([called(11, "call-1"), early, said(14)]);

  expect(hasWork).toBe(true);
  expect(added).toEqual([
    expect.objectContaining({ type: "rewind", at: at(30), voids: 2 }),
    {
      ...{ type: "tool-result", at: at(30), call_id: "call-1", is_error: true },
      output: expect.stringContaining("Outcome unknown"),
    },
    { type: "run-start", at: at(30) },
    { ...early, at: at(30) },
  ]);
});

test("P39 mail that needs no reply is given again without a run", async () => {
  const note = received({ sent: 11, from: alice });
  const message = { ...note.message, type: "mode_set_request" as const, mode: "plan" as const };
  const { hasWork, added } = await rewound([
    said(2),
    { type: "delivery", at: at(13), ...note, message },
  ]);

  expect(hasWork).toBe(false);
  expect(added.map(({ type }) => type)).toEqual(["rewind", "delivery"]);
});

test.each([
  ["that was working has an end", [start(1), said(2)], ["rewind", "run-end", "run-settled"]],
  ["that was idle has none", [said(2), ended(3), settled(3)], ["rewind"]],
])("P39 a member that has ended is given no mail again; a run %s", async (_, before, types) => {
  const early = mail(13, { sent: 11, from: alice });
  const { hasWork, added } = await rewound([...before, early, said(14)], true);

  expect(hasWork).toBe(false);
  expect(added.map(({ type }) => type)).toEqual(types);
  const outcomes = added.flatMap((entry) => (entry.type === "run-end" ? [entry.outcome] : []));
  expect(outcomes).toEqual(types.includes("run-end") ? ["interrupted"] : []);
});

test("P39 nothing is written to a transcript without anything later", async () => {
  expect(await rewound([start(1), said(2)])).toEqual({ hasWork: false, added: [] });
});

/** What going back adds to a transcript. */
async function rewound(entries: readonly TranscriptEntry[], hasEnded = false) {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const { transcript } = await store.openMember(lead, { onSetAside: () => undefined });
  await transcript.append(entries);
  const hasWork = await rewindTranscript(transcript, { point, now: seconds(30), hasEnded });
  const all: TranscriptEntry[] = [];
  for await (const entry of transcript.entries()) all.push(entry);
  return { hasWork, added: all.slice(entries.length) };
}

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

function settled(when: number): TranscriptEntry {
  return { type: "run-settled", at: at(when) };
}

function begun(when: number, call_id: string): TranscriptEntry {
  return { type: "tool-start", at: at(when), call_id };
}

function result(when: number, call_id: string) {
  return { type: "tool-result" as const, at: at(when), call_id, output: "", is_error: false };
}
