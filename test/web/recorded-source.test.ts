import { expect, test } from "vitest";
import type { EntryView, MessageView, RecordedRun } from "../../src/protocol/dashboard.ts";
import { RecordedSource } from "../../web/src/source/recorded-source.ts";
import { SourceError } from "../../web/src/source/source.ts";
import { notes, reply } from "./transcript-entries.ts";

function message(index: number, rest: Partial<MessageView> = {}): MessageView {
  return {
    ...{ id: `m${index}`, type: "message", from: "lead", to: "ada", sent_at: null, seen_at: null },
    ...{ state: "delivered", text: `text ${index}`, is_cut: false, facts: {}, ...rest },
  };
}

function sourceOf({
  entries = [],
  messages = [],
}: {
  entries?: EntryView[];
  messages?: MessageView[];
}) {
  const state: RecordedRun["state"] = {
    ...{ version: "1", directory: "~", team: { id: "t", name: "team" }, obstacle: null },
    ...{
      running: null,
      members: [],
      tasks: [],
      requests: [],
      rules: [],
      landings: [],
      messages: [],
      problems: [],
    },
  };
  return new RecordedSource({
    ...{ exported_at: "2026-01-05T12:00:00.000Z", state, messages },
    transcripts: [{ member: "ada", entries }],
    ...{ cost: { times: [], members: [] }, left_out: ["Something."], masked: 0 },
  });
}

const cursors = ({ entries }: { entries: readonly EntryView[] }) =>
  entries.map(({ cursor }) => Number(cursor));
const ids = ({ messages }: { messages: readonly MessageView[] }) => messages.map(({ id }) => id);

test("a listener gets the whole state, that it is a recording, and what is missing", () => {
  const told: unknown[] = [];
  const tell = (what: unknown) => void told.push(what);

  sourceOf({}).listen({ onConnection: tell, onState: tell, onChange: tell, onLive: tell });

  expect(told).toMatchObject([
    { type: "recorded", exportedAt: "2026-01-05T12:00:00.000Z", leftOut: ["Something."] },
    { team: { name: "team" } },
  ]);
});

test("a transcript is paged from its end, and from any entry in both directions", async () => {
  const source = sourceOf({ entries: notes(0, 10) });

  const newest = await source.transcript("ada", { limit: 3 });
  expect([cursors(newest), newest.before, newest.after]).toEqual([[7, 8, 9], "7", "9"]);
  const older = await source.transcript("ada", { before: "7", limit: 10 });
  expect([cursors(older), older.before]).toEqual([[0, 1, 2, 3, 4, 5, 6], null]);
  const newer = await source.transcript("ada", { after: "7", limit: 1 });
  expect([cursors(newer), newer.after]).toEqual([[8], "8"]);
  const none = await source.transcript("ada", { after: "9" });
  expect([cursors(none), none.after]).toEqual([[], "9"]);
});

test("an empty transcript is empty, and a missing one is refused", async () => {
  const source = sourceOf({});

  expect(await source.transcript("ada", {})).toMatchObject({
    entries: [],
    before: null,
    after: "",
  });
  expect(await source.transcript("ada", { after: "" })).toMatchObject({ entries: [] });
  await expect(source.transcript("eve", {})).rejects.toThrow(SourceError);
});

test("a search finds text in entries, ignoring case, and continues where it stopped", async () => {
  const entries = [...notes(0, 5), reply({ cursor: "5" }, { type: "text", text: "Note THREE" })];
  const source = sourceOf({ entries });

  const found = await source.transcript("ada", { search: "three" });
  expect([cursors(found), found.before]).toEqual([[5], null]);
  const first = await source.transcript("ada", { search: "3", limit: 1 });
  expect([cursors(first), first.before]).toEqual([[3], "3"]);
  expect(await source.transcript("ada", { search: "3", before: "3" })).toMatchObject({
    ...{ entries: [], before: null },
  });
});

test("messages are filtered by member, types and text, and paged", async () => {
  const messages = [
    ...[message(0), message(1, { from: "bob" }), message(2, { type: "broadcast" })],
    ...[message(3, { to: "bob", text: "Needle" }), message(4)],
  ];
  const source = sourceOf({ messages });

  expect(ids(await source.messages({}))).toEqual(["m0", "m1", "m2", "m3", "m4"]);
  expect(ids(await source.messages({ member: "bob" }))).toEqual(["m1", "m3"]);
  expect(ids(await source.messages({ types: ["broadcast"] }))).toEqual(["m2"]);
  expect(ids(await source.messages({ search: "needle" }))).toEqual(["m3"]);
  const page = await source.messages({ limit: 2 });
  expect([ids(page), page.before]).toEqual([["m3", "m4"], "3"]);
  const last = await source.messages({ limit: 10, before: page.before ?? "" });
  expect([ids(last), last.before]).toEqual([["m0", "m1", "m2"], null]);
});

test("a list has the beginning of a long message, and the message itself is complete", async () => {
  const text = "long ".repeat(1_000);
  const source = sourceOf({ messages: [message(0, { text })] });

  const [listed] = (await source.messages({})).messages;

  expect([listed?.text.length, listed?.is_cut]).toEqual([600, true]);
  expect(await source.message("ada", "m0")).toMatchObject({ text, is_cut: false });
  await expect(source.message("ada", "m9")).rejects.toThrow(SourceError);
});

test("a recording cannot be changed", async () => {
  const source = sourceOf({});

  expect(source.canAct).toBe(false);
  await expect(source.send()).rejects.toThrow(SourceError);
  await expect(source.answer()).rejects.toThrow(SourceError);
  await expect(source.stop()).rejects.toThrow(SourceError);
});
