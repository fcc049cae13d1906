import { expect, test } from "vitest";
import type { EntryView } from "../../src/protocol/dashboard.ts";
import { rowsOf, rowsShown, rowWith, sameRows } from "../../web/src/views/transcript/rows.ts";
import { call, note, reply, result, runEnd, runStart } from "./transcript-entries.ts";

const run: readonly EntryView[] = [
  runStart({ cursor: "1" }),
  reply({ cursor: "2" }, { type: "text", text: "Let me see." }, call("a"), call("b")),
  result({ cursor: "3" }, "b", "of b"),
  result({ cursor: "5" }, "a", "of a"),
  runEnd({ cursor: "9" }, "failed"),
];

test("a reply has a row for each of its blocks, and results are in the rows of their calls", () => {
  const rows = rowsOf(run);

  expect(rows.map(({ key, body }) => [key, body.type])).toEqual([
    ["1", "run-start"],
    ["2/0", "text"],
    ["2/1", "call"],
    ["2/2", "call"],
    ["9", "run-end"],
  ]);
  expect(rows[2]?.body).toMatchObject({ result: { output: "of a" }, durationMs: 3_000 });
  expect(rows[3]?.body).toMatchObject({ result: { output: "of b" }, durationMs: 1_000 });
});

test("a run shows its outcome, its duration and its calls", () => {
  const [start] = rowsOf(run);

  expect(start?.body).toMatchObject({ end: { outcome: "failed" }, durationMs: 8_000, calls: 2 });
});

test("a running run has no end, and its calls may still get results", () => {
  const rows = rowsOf(run.slice(0, 2));

  expect(rows[0]?.body).toMatchObject({ end: null, durationMs: null });
  expect(rows[2]?.body).toMatchObject({ result: null, isLost: false });
});

test("a call without a result in an ended run is lost", () => {
  const rows = rowsOf(run.filter(({ type }) => type !== "tool-result"));

  expect(rows[2]?.body).toMatchObject({ result: null, isLost: true });
});

test("the same call id in two replies is two calls", () => {
  const rows = rowsOf([
    reply({ cursor: "1" }, call("a")),
    result({ cursor: "2" }, "a", "first"),
    reply({ cursor: "3" }, call("a")),
    result({ cursor: "4" }, "a", "second"),
  ]);

  expect(rows.map(({ body }) => body.type === "call" && body.result?.output)).toEqual([
    "first",
    "second",
  ]);
});

test("a result whose call is not loaded has its own row", () => {
  const rows = rowsOf([result({ cursor: "2" }, "a", "alone")]);

  expect(rows.map(({ body }) => body.type)).toEqual(["result"]);
});

test("damaged entries without a time are tolerated", () => {
  const rows = rowsOf([
    { cursor: "1", at: null, type: "damaged", reason: "no JSON" },
    reply({ cursor: "2", at: null }, call("a")),
    result({ cursor: "3" }, "a"),
  ]);

  expect(rows.map(({ body }) => body.type)).toEqual(["damaged", "call"]);
  expect(rows[1]?.body).toMatchObject({ durationMs: null });
});

test("an empty or truncated reply is marked as such", () => {
  const [empty] = rowsOf([reply({ cursor: "1" }, { type: "text", text: " \n" })]);
  const cut: EntryView = {
    ...{ cursor: "1", at: null, type: "reply", stop: "length", usage: null },
    blocks: [{ type: "text", text: "and then" }],
  };

  expect(empty?.body.type).toBe("stop");
  expect(rowsOf([cut]).map(({ body }) => body.type)).toEqual(["text", "stop"]);
});

test("a folded run shows its first and its last row", () => {
  const rows = rowsOf([note({ cursor: "0" }), ...run, note({ cursor: "10" })]);

  const shown = rowsShown(rows, (key) => key === "1");

  expect(shown.map(({ key }) => key)).toEqual(["0", "1", "9", "10"]);
});

test("only unchanged rows stay the same objects", () => {
  const before = rowsOf(run.slice(0, 3));

  const after = sameRows(rowsOf(run.slice(0, 4)), before);

  expect(after[1]).toBe(before[1]);
  expect(after[3]).toBe(before[3]);
  expect(after[2]).not.toBe(before[2]);
});

test("older entries change only the rows of their calls", () => {
  const before = rowsOf(run.slice(1));

  const keys = rowsOf(run).map(({ key }) => key);

  expect(before.every(({ key }) => keys.includes(key))).toBe(true);
});

test("a match is found in its block, and a result in the row of its call", () => {
  const rows = rowsOf(run);
  const at = (index: number, search: string) => rowWith(rows, entryAt(index), search)?.key;

  expect(at(1, "LET ME")).toBe("2/0");
  expect(at(1, "ls")).toBe("2/1");
  expect(at(2, "of b")).toBe("2/2");
  expect(at(4, "failed")).toBe("9");
});

function entryAt(index: number): EntryView {
  const entry = run[index];
  if (!entry) throw new Error(`There is no entry ${index}`);
  return entry;
}
