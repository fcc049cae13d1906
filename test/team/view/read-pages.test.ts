import { expect, test } from "vitest";
import { lead } from "../../../src/protocol/ids.ts";
import type { TranscriptEntry } from "../../../src/protocol/transcript.ts";
import { entriesNewestFirst, entriesOldestFirst } from "../../../src/team/view/read-pages.ts";
import type { ListedEntry, TranscriptQuery } from "../../../src/team/view/team-view.ts";

const at = "2026-01-01T00:00:00.000Z";

function note(text: string): TranscriptEntry {
  return { type: "note", at, text, wakes: false };
}

/** A transcript of notes "0", "1" and so on, of which one is damaged, that records its queries. */
function transcriptOf(count: number, { restartedAt = -1, damagedAt = -1 } = {}) {
  const queries: TranscriptQuery[] = [];
  const view = {
    transcript: async (_: unknown, query: TranscriptQuery) => {
      queries.push(query);
      const isForwards = query.after !== undefined;
      const asked = isForwards ? Number(query.after) : Number(query.before ?? count);
      const end = isForwards ? Math.min(count, asked + query.limit) : asked;
      const start = isForwards ? asked : Math.max(0, end - query.limit);
      const entries = Array.from({ length: end - start }, (_, index): ListedEntry => {
        const cursor = String(start + index);
        if (start + index === damagedAt) return { cursor, entry: null, damage: "torn" };
        return { cursor, entry: note(cursor), damage: null };
      });
      const before = start === 0 ? null : String(start);
      return { entries, before, after: String(end), isRestarted: end === restartedAt };
    },
  };
  return { view, queries };
}

async function textsOf(
  view: Parameters<typeof entriesNewestFirst>[0],
  read = entriesNewestFirst,
): Promise<string[]> {
  const texts: string[] = [];
  for await (const entry of read(view, lead)) {
    if (entry.type === "note") texts.push(entry.text);
  }
  return texts;
}

test("entries are returned newest first, in pages that double up to 128", async () => {
  const { view, queries } = transcriptOf(300);

  const texts = await textsOf(view);

  expect(texts).toEqual(Array.from({ length: 300 }, (_, n) => String(299 - n)));
  expect(queries.map(({ limit }) => limit)).toEqual([4, 8, 16, 32, 64, 128, 128]);
});

test("entries are returned oldest first, in pages that double up to 128", async () => {
  const { view, queries } = transcriptOf(300, { damagedAt: 1 });

  const texts = await textsOf(view, entriesOldestFirst);

  expect(texts).toEqual(["0", ...Array.from({ length: 298 }, (_, n) => String(n + 2))]);
  expect(queries.map(({ limit }) => limit)).toEqual([4, 8, 16, 32, 64, 128, 128, 128]);
});

test("reading oldest first ends where another transcript has replaced the one being read", async () => {
  const { view } = transcriptOf(20, { restartedAt: 12 });

  expect(await textsOf(view, entriesOldestFirst)).toEqual(["0", "1", "2", "3"]);
});

test("a damaged entry is skipped", async () => {
  expect(await textsOf(transcriptOf(3, { damagedAt: 1 }).view)).toEqual(["2", "0"]);
});

test("nothing is returned from a transcript that has replaced the one being read", async () => {
  expect(await textsOf(transcriptOf(6, { restartedAt: 2 }).view)).toEqual(["5", "4", "3", "2"]);
});
