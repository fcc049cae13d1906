import { expect, test } from "vitest";
import { RunRecord } from "../../src/agent/run-record.ts";
import { lead, MemberName, newMessageId, system, TaskId, user } from "../../src/protocol/ids.ts";
import { Message } from "../../src/protocol/message.ts";
import type { StopReason, TranscriptEntry } from "../../src/protocol/transcript.ts";

const at = "2026-01-01T00:00:00.000Z";
const start: TranscriptEntry = { type: "run-start", at };
const end: TranscriptEntry = { type: "run-end", at, outcome: "done" };
const alice = MemberName.parse("alice");
const call = { type: "tool-call", call_id: "c", name: "", input: {} } as const;
const settled: TranscriptEntry = { type: "run-settled", at };

test("P08 a run that was summarized and then cut off is open, with its answers so far", () => {
  const parts = { kept: [], wakes: true, delivered: [], answers: ["One."] };
  const run = new RunRecord([{ type: "compaction", at, summary: "…", ...parts }, says("Two.")]);

  expect(run.isOpen).toBe(true);
  expect(run.answers).toEqual(["One.", "Two."]);
});

test("a run whose start is missing counts as a run of its own", () => {
  const run = new RunRecord([start, says("One."), end, settled, says("Two.")]);

  expect(run.isOpen).toBe(true);
  expect(run.answers).toEqual(["Two."]);

  run.add(end);

  expect(run.unsettledEnd).toMatchObject({ outcome: "done" });
});

test("a run whose end is missing is over once it is settled", () => {
  const run = new RunRecord([start, says("One."), settled]);

  expect(run.isOpen).toBe(false);
  expect(run.unsettledEnd).toBeUndefined();
});

function mail(more: Partial<Message>): TranscriptEntry {
  const id = newMessageId(new Date(0));
  const base = { id, type: "message", from: user, to: lead, content: "hi", timestamp: 1 };
  const position = { generation: 1, offset: 1 };
  return { type: "delivery", at, message: Message.parse({ ...base, ...more }), position };
}

test("a run's record has who woke it, its reminders of tasks, and its calls", () => {
  const run = new RunRecord([
    start,
    mail({}),
    mail({ from: system, task_id: TaskId.parse("7") }),
    mail({ from: alice, task_id: TaskId.parse("8") }),
    { type: "reply", at, blocks: [{ ...call, name: "look" }], stop: "tool-calls" },
  ]);

  expect([...run.wakers]).toEqual([user, system, alice]);
  expect([...run.remindedOf]).toEqual(["7"]);
  expect([...run.calledTools]).toEqual(["look"]);
});

test("only mail of the runtime that names a task, and is no assignment, reminds of one", () => {
  const assigned = { type: "task_assignment", from: system, task_id: TaskId.parse("9") } as const;
  const run = new RunRecord([start, mail({ from: system }), mail(assigned)]);

  expect([...run.remindedOf]).toEqual([]);
});

test("the next run starts with an empty record", () => {
  const run = new RunRecord([
    start,
    mail({ from: system, task_id: TaskId.parse("7") }),
    { type: "reply", at, blocks: [{ ...call, name: "look" }], stop: "tool-calls" },
    says("One."),
    says("half", "length"),
    end,
    start,
  ]);

  expect([run.answers, [...run.wakers], [...run.remindedOf], [...run.calledTools]]).toEqual([
    [],
    [],
    [],
    [],
  ]);
  expect([run.isOpen, run.end, run.unsettledEnd]).toEqual([true, undefined, undefined]);
});

test("the parts of a truncated answer are joined", () => {
  const run = new RunRecord([
    start,
    says("One, ", "length"),
    says("two, ", "pause"),
    says("three, ", "overflow"),
    says("four."),
    says(" "),
    says("refused", "refusal"),
    says("The end", "length"),
    end,
  ]);

  expect(run.answers).toEqual(["One, two, three, four.", "The end"]);
});

test("an end is unsettled until it is settled, and still known afterwards", () => {
  const run = new RunRecord([start, says("One."), end]);
  expect(run.unsettledEnd).toEqual({ outcome: "done", reason: undefined, reportId: undefined });

  run.add(settled);

  expect(run.unsettledEnd).toBeUndefined();
  expect(run.end).toMatchObject({ outcome: "done" });
});

function says(text: string, stop: StopReason = "end"): TranscriptEntry {
  return { type: "reply", at, blocks: [{ type: "text", text }], stop };
}
