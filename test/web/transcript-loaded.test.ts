import { expect, test } from "vitest";
import type { EntryView } from "../../src/protocol/dashboard.ts";
import {
  keptEntries,
  loadedAround,
  newestLoaded,
  withNewer,
  withOlder,
} from "../../web/src/views/transcript/loaded.ts";
import { note, notes, pageOf } from "./transcript-entries.ts";

const cursors = (entries: readonly EntryView[]) => entries.map(({ cursor }) => Number(cursor));
const range = (from: number, to: number) => cursors(notes(from, to));

test("older entries are added before, without duplicates", () => {
  const loaded = withOlder(newestLoaded(pageOf(notes(5, 8))), pageOf(notes(2, 6)));

  expect(cursors(loaded.entries)).toEqual(range(2, 8));
  expect(loaded).toMatchObject({ before: "2", after: "7", hasNewest: true });
});

test("newer entries are added after, without duplicates", () => {
  const loaded = withNewer(newestLoaded(pageOf(notes(0, 3))), pageOf(notes(2, 5)), true);

  expect(cursors(loaded.entries)).toEqual(range(0, 5));
  expect(loaded).toMatchObject({ before: null, after: "4", hasNewest: true });
});

test("when too many older entries are added, the newest are dropped and can be loaded again", () => {
  const full = newestLoaded(pageOf(notes(100, 100 + keptEntries)));

  const loaded = withOlder(full, pageOf(notes(0, 100)));

  expect(cursors(loaded.entries)).toEqual(range(0, keptEntries));
  expect(loaded).toMatchObject({ after: String(keptEntries - 1), hasNewest: false });
  const again = withNewer(loaded, pageOf(notes(keptEntries - 1, keptEntries + 100)), true);
  expect(cursors(again.entries)).toEqual(range(100, keptEntries + 100));
});

test("when too many newer entries are added, the oldest are dropped and can be loaded again", () => {
  const full = newestLoaded(pageOf(notes(0, keptEntries)));

  const loaded = withNewer(full, pageOf(notes(keptEntries, keptEntries + 10)), true);

  expect(cursors(loaded.entries)).toEqual(range(10, keptEntries + 10));
  expect(loaded.before).toBe("10");
  expect(cursors(withOlder(loaded, pageOf(notes(0, 10))).entries)).toEqual(range(0, keptEntries));
});

test("an entry from the middle is between the entries before and after it", () => {
  const older = pageOf(notes(5, 10));
  const newer = pageOf(notes(10, 15));

  const loaded = loadedAround(note({ cursor: "10" }), { older, newer, hasNewest: false });

  expect(cursors(loaded.entries)).toEqual(range(5, 15));
  expect(loaded).toMatchObject({ before: "5", after: "14", hasNewest: false });
});
