import { expect, test } from "vitest";
import { RunRecord } from "../../src/agent/run-record.ts";
import type { Entry } from "../../src/protocol/transcript.ts";

const at = "2026-01-01T00:00:00.000Z";
const start: Entry = { type: "run-start", at };
const end: Entry = { type: "run-end", at, outcome: "done" };
const settled: Entry = { type: "run-settled", at };

test("P08 a run that was summarized and then cut short is open, with what it had answered", () => {
  const parts = { kept: [], wakes: true, delivered: [], answers: ["One."] };
  const run = new RunRecord([{ type: "compaction", at, summary: "…", ...parts }, says("Two.")]);

  expect(run.isOpen).toBe(true);
  expect(run.answers).toEqual(["One.", "Two."]);
});

test("a run whose start is missing is one all the same, and not the one before", () => {
  const run = new RunRecord([start, says("One."), end, settled, says("Two.")]);

  expect(run.isOpen).toBe(true);
  expect(run.answers).toEqual(["Two."]);

  run.add(end);

  expect(run.unsettledEnd).toMatchObject({ outcome: "done" });
});

test("a run whose end is missing is over once it is known to be settled", () => {
  const run = new RunRecord([start, says("One."), settled]);

  expect(run.isOpen).toBe(false);
  expect(run.unsettledEnd).toBeUndefined();
});

function says(text: string): Entry {
  return { type: "reply", at, blocks: [{ type: "text", text }], stop: "end" };
}
