import { appendFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EntriesQuery } from "../../../src/protocol/dashboard-requests.ts";
import { lead } from "../../../src/protocol/ids.ts";
import type { TranscriptEntry } from "../../../src/protocol/transcript.ts";
import type { Room } from "../../../src/server/room/room.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { openStore } from "../../support/team.ts";
import { openRoom } from "./page.ts";

const at = "2026-01-01T09:00:00.000Z";
const note = (text: string): TranscriptEntry => ({ type: "note", at, text, wakes: false });
const page = (room: Room, query: object = {}) => room.transcript("lead", EntriesQuery.parse(query));
const ignored = { onSetAside: () => undefined };

async function writtenTranscript(root: string) {
  const store = await openStore(root, { onWarning: () => undefined });
  const { transcript } = await store.openMember(lead, ignored);
  return { store, transcript, path: join(root, ".team/transcripts/lead.jsonl") };
}

const textsOf = ({ entries }: Awaited<ReturnType<typeof page>>) =>
  entries.map((entry) => (entry.type === "note" ? entry.text : entry.type));

test("a transcript is read back to its start, each entry once", async () => {
  await using directory = await temporaryDirectory();
  const { store, transcript } = await writtenTranscript(directory.path);
  await using _store = store;
  const texts = Array.from({ length: 250 }, (_, index) => `note ${index}`);
  await transcript.append(texts.map(note));
  await using room = openRoom(directory.path);

  const found: string[] = [];
  let before: string | null | undefined;
  while (before !== null) {
    const read = await page(room, { limit: 30, before });
    found.unshift(...textsOf(read));
    before = read.before;
    await transcript.append([note("new")]);
  }

  expect(found.slice(0, 250)).toEqual(texts);
  expect(found).toHaveLength(250);
});

test("new entries are returned once, in order", async () => {
  await using directory = await temporaryDirectory();
  const { store, transcript } = await writtenTranscript(directory.path);
  await using _store = store;
  await using room = openRoom(directory.path);

  const found: string[] = [];
  let { after } = await page(room);
  for (let round = 0; round < 5; round++) {
    await transcript.append([note(`${round} a`), note(`${round} b`)]);
    const read = await page(room, { after });
    found.push(...textsOf(read));
    after = read.after;
    expect((await page(room, { after })).entries).toEqual([]);
  }

  expect(found).toEqual([0, 1, 2, 3, 4].flatMap((round) => [`${round} a`, `${round} b`]));
});

test("a replaced transcript is returned from its newest entries", async () => {
  await using directory = await temporaryDirectory();
  const { store, transcript, path } = await writtenTranscript(directory.path);
  await using _store = store;
  await transcript.append([note("old")]);
  await using room = openRoom(directory.path);
  const { after } = await page(room);

  await rename(path, `${path}.aside`);
  await transcript.append([note("young")]);
  const read = await page(room, { after });

  expect(textsOf(read)).toEqual(["young"]);
  expect(read.is_restarted).toBe(true);
  expect((await page(room, { after: read.after })).is_restarted).toBe(false);
});

test("search finds displayed text, ignoring case, and damage is shown as such", async () => {
  await using directory = await temporaryDirectory();
  const { store, transcript, path } = await writtenTranscript(directory.path);
  await using _store = store;
  await transcript.append([note("The Needle"), note("hay")]);
  await appendFile(path, "{nonsense\n");
  await transcript.append([note("more hay")]);
  await using room = openRoom(directory.path);

  expect(textsOf(await page(room, { search: "nEEDLE" }))).toEqual(["The Needle"]);
  expect(textsOf(await page(room))).toEqual(["The Needle", "hay", "damaged", "more hay"]);
});

test("a transcript that does not exist yet is empty, and later entries are not missed", async () => {
  await using directory = await temporaryDirectory();
  const { store, transcript } = await writtenTranscript(directory.path);
  await using _store = store;
  await using room = openRoom(directory.path);

  const { after, entries, before } = await page(room);
  await transcript.append([note("first")]);

  expect([entries, before]).toEqual([[], null]);
  expect(textsOf(await page(room, { after }))).toEqual(["first"]);
});

test("only members have transcripts", async () => {
  await using directory = await temporaryDirectory();
  const { store } = await writtenTranscript(directory.path);
  await using _store = store;
  await using room = openRoom(directory.path);

  await expect(room.transcript("../x", EntriesQuery.parse({}))).rejects.toThrow("name");
  await expect(room.transcript("nobody", EntriesQuery.parse({}))).rejects.toThrow(
    "There is no member",
  );
});
