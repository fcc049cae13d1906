import { appendFile, readdir, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hmacSignature } from "../../../src/keys/signature.ts";
import type { WakeSource } from "../../../src/lib/wake-source.ts";
import {
  FileTranscriptView,
  type FileTranscriptViewOptions,
} from "../../../src/team/view/file-transcript-view.ts";
import type { ListedEntry, PageCursor } from "../../../src/team/view/team-view.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { chainStart, EntryChain } from "../../../src/transcript/entry-chain.ts";

const at = "2026-01-01T09:00:00.000Z";
const lineBytes = 512 * 1024;

test("a page ends with the line that makes it a megabyte, from wherever it began", async () => {
  await using it = await openView();
  await writeFile(it.path, ["a", "b", "c", "d", "e"].map(longNote).join(""));
  const newest = await it.view.page({ limit: 10 });
  expect(lettersOf(newest.entries)).toEqual(["d", "e"]);

  const older = await it.view.page({ before: newest.before ?? undefined, limit: 10 });
  expect(lettersOf(older.entries)).toEqual(["b", "c"]);
  const afterFirst = await it.view.page({ after: older.before ?? undefined, limit: 10 });
  expect(lettersOf(afterFirst.entries)).toEqual(["b", "c"]);
  expect(afterFirst.before).toBe(older.before);
});

test("a page of entries after a cursor knows what is before it, and the first page that nothing is", async () => {
  await using it = await openView();
  const { after: none } = await it.view.page({ limit: 10 });
  await writeFile(it.path, ["a", "b", "c"].map(note).join(""));

  const first = await it.view.page({ after: none, limit: 1 });
  const second = await it.view.page({ after: first.after, limit: 1 });

  expect(first).toMatchObject({ before: null, isRestarted: false });
  expect(second).toMatchObject({ before: first.after, isRestarted: false });
  expect([first, second].map(({ entries }) => lettersOf(entries))).toEqual([["a"], ["b"]]);
  const back = await it.view.page({ before: second.before ?? undefined, limit: 10 });
  expect([lettersOf(back.entries), back.before]).toEqual([["a"], null]);
});

test("what is before the end of no transcript is the end of the one that there is, as one started again", async () => {
  await using it = await openView();
  const { after: none } = await it.view.page({ limit: 10 });
  await writeFile(it.path, ["a", "b", "c"].map(note).join(""));

  const page = await it.view.page({ before: none, limit: 2 });

  expect([lettersOf(page.entries), page.isRestarted]).toEqual([["b", "c"], true]);
});

test("entries come after the end of an empty transcript", async () => {
  await using it = await openView();
  await writeFile(it.path, "");
  const empty = await it.view.page({ limit: 10 });
  expect(empty).toMatchObject({ entries: [], before: null, isRestarted: false });
  await appendFile(it.path, note("a"));

  const page = await it.view.page({ after: empty.after, limit: 10 });

  expect([lettersOf(page.entries), page.isRestarted]).toEqual([["a"], false]);
});

test("a follower begins after its cursor, and with everything where that is of another file", async () => {
  await using it = await openView();
  await writeFile(it.path, ["a", "b", "c"].map(note).join(""));
  const { entries } = await it.view.page({ limit: 10 });
  const [, second] = entries;

  expect(await it.follow(second?.cursor ?? "", 2)).toEqual(["b", "c"]);
  expect(await it.follow("none_0", 3)).toEqual(["a", "b", "c"]);
  expect(await it.follow("1-2-3_30", 3)).toEqual(["a", "b", "c"]);
  expect(await it.follow("nonsense", 3)).toEqual(["a", "b", "c"]);
});

test("a follower reads on as the file grows, is replaced or deleted, and leaves no file open", async () => {
  await using it = await openView();
  const steps: Steps = {
    0: () => writeFile(it.path, note("a")),
    // Longer than one read.
    1: () => appendFile(it.path, longNote("b") + note("c")),
    3: async (wake) => {
      await appendFile(it.path, note("d").slice(0, 20));
      wake();
      await appendFile(it.path, note("d").slice(20));
    },
    4: async () => {
      await writeFile(`${it.path}.new`, note("e"));
      await rename(`${it.path}.new`, it.path);
    },
    5: () => appendFile(it.path, note("f")),
    6: async (wake) => {
      await rm(it.path);
      wake();
      await writeFile(it.path, note("g"));
    },
  };

  expect(await it.follow("none_0", 7, steps)).toEqual(["a", "b", "c", "d", "e", "f", "g"]);
  expect(await it.openFiles()).toEqual([]);
});

test("a followed entry has a cursor of its own file", async () => {
  await using it = await openView();
  await writeFile(it.path, ["a", "b"].map(note).join(""));
  const { entries } = await it.view.page({ limit: 10 });

  const followed = await it.followed("none_0", 2);

  expect(followed.map(({ cursor }) => cursor)).toEqual(entries.map(({ cursor }) => cursor));
});

test("a page has as many entries as were asked for, and ends where the next one begins", async () => {
  await using it = await openView();
  await writeFile(it.path, ["a", "b", "c", "d"].map(note).join(""));

  const newest = await it.view.page({ limit: 2 });
  const oldest = await it.view.page({ before: newest.before ?? undefined, limit: 2 });
  const onwards = await it.view.page({ after: oldest.after, limit: 1 });

  expect([newest, oldest, onwards].map(({ entries }) => lettersOf(entries))).toEqual([
    ["c", "d"],
    ["a", "b"],
    ["c"],
  ]);
  expect(oldest.before).toBeNull();
  expect(onwards.before).toBe(oldest.after);
  const end = await it.view.page({ after: newest.after, limit: 1 });
  expect(end).toEqual({
    ...{ entries: [], before: newest.after, after: newest.after, isRestarted: false },
  });
});

test("a cursor of a transcript that was replaced, shortened or removed is known to be one", async () => {
  await using it = await openView();
  await writeFile(it.path, ["a", "b"].map(note).join(""));
  const { after } = await it.view.page({ limit: 1 });
  await writeFile(it.path, note("a"));
  const shortened = await it.view.page({ after, limit: 1 });
  await writeFile(`${it.path}.new`, ["c", "d", "e"].map(note).join(""));
  await rename(`${it.path}.new`, it.path);
  const replaced = await it.view.page({ after, limit: 1 });
  await rm(it.path);
  const removed = await it.view.page({ after, limit: 1 });
  const none = await it.view.page({ limit: 1 });

  const found = [shortened, replaced, removed, none];
  expect(found.map(({ isRestarted }) => isRestarted)).toEqual([true, true, true, false]);
  expect(found.map(({ entries }) => lettersOf(entries))).toEqual([["a"], ["e"], [], []]);
});

test("a line that is no entry is listed as damage with its reason, an empty one not at all", async () => {
  const damage: string[] = [];
  await using it = await openView({ onDamage: ({ reason }) => damage.push(reason) });
  await writeFile(it.path, `${note("a")}\nnonsense\n${note("b")}`);

  for (const query of [{ limit: 9 }, { after: null, limit: 9 }]) {
    const { entries } = await it.view.page(query);
    expect(entries).toMatchObject([
      { entry: { text: "a" }, damage: null },
      { entry: null, damage: expect.stringMatching(/lead\.jsonl, byte \d+/) },
      { entry: { text: "b" }, damage: null },
    ]);
    expect(damage.splice(0)).toEqual([entries[1]?.damage]);
  }
});

test.each([
  ["with all that was written", [1, 2, 3, 4], 9, []],
  ["without an entry in the middle", [1, 2, 4], 9, ["entries are missing"]],
  ["without the first entry", [2, 3], 9, ["entries are missing"]],
  ["with two entries in each other's place", [1, 3, 2], 9, Array(2).fill("out of order")],
  ["with all that was written, page by page", [1, 2, 3, 4], 2, []],
  ["without an entry between two pages", [1, 2, 4, 5], 2, ["entries are missing"]],
] as const)("in a transcript %s, gaps are told of", async (_, numbers, limit, expected) => {
  const chain = chainOf("lead");
  const damage: string[] = [];
  await using it = await openView({ chain, onDamage: ({ reason }) => damage.push(reason) });
  const lines = sealed(chain, 5);
  await writeFile(it.path, numbers.map((number) => lines[number - 1]).join(""));

  const newest = await it.view.page({ limit });
  if (newest.before) await it.view.page({ before: newest.before, limit });

  expect(damage).toEqual(expected.map((reason) => expect.stringContaining(reason)));
});

test("a line that nobody has signed for this transcript is no entry of it", async () => {
  const damage: string[] = [];
  await using it = await openView({
    ...{ chain: chainOf("lead"), onDamage: ({ reason }) => damage.push(reason) },
  });
  await writeFile(it.path, sealed(chainOf("lead"), 1)[0] + note("b"));
  await appendFile(it.path, sealed(chainOf("alice"), 1)[0] ?? "");

  const { entries } = await it.view.page({ limit: 9 });

  expect(lettersOf(entries)).toEqual(["1", "?", "?"]);
  expect(damage).toEqual(Array(2).fill(expect.stringMatching(/was not written by troupe$/)));
});

test("a follower begins with everything where its cursor is of a file that has since been replaced", async () => {
  await using it = await openView();
  await writeFile(it.path, ["a", "b"].map(note).join(""));
  const { after } = await it.view.page({ limit: 9 });
  await writeFile(`${it.path}.new`, ["c", "d", "e"].map(note).join(""));
  await rename(`${it.path}.new`, it.path);

  expect(await it.follow(after, 3)).toEqual(["c", "d", "e"]);
});

function chainOf(member: string): EntryChain {
  return new EntryChain(hmacSignature(Buffer.alloc(32, 1)), { teamId: "team", member });
}

/** The lines of a transcript, of which each is a note with its number. */
function sealed(chain: EntryChain, count: number): string[] {
  let last = chainStart;
  return Array.from({ length: count }, (_, index) => {
    const entry = { type: "note", at, text: String(index + 1), wakes: false };
    const { line, link } = chain.seal(entry, last);
    last = link;
    return line;
  });
}

function note(text: string): string {
  return `${JSON.stringify({ type: "note", at, text, wakes: false })}\n`;
}

/** The line of a note that is `lineBytes` long and begins with `letter`. */
function longNote(letter: string): string {
  return note(letter.padEnd(lineBytes - note("").length, "."));
}

function lettersOf(entries: readonly ListedEntry[]): string[] {
  return entries.map(({ entry }) => (entry?.type === "note" ? entry.text.charAt(0) : "?"));
}

/** What happens to a transcript once a follower has so many entries. */
type Steps = Record<number, (wake: () => void) => Promise<unknown>>;

async function openView(options: Partial<FileTranscriptViewOptions> = {}) {
  const directory = await temporaryDirectory();
  const path = join(directory.path, "lead.jsonl");
  const view = new FileTranscriptView({
    ...{ path, chain: undefined },
    onDamage: ({ reason }) => {
      throw new Error(reason);
    },
    ...options,
  });
  /** The first `count` entries. */
  const followed = async (after: PageCursor, count: number, steps: Steps = {}) => {
    let wake = () => {};
    const doStep = async (number: number) => {
      await steps[number]?.(wake);
      wake();
    };
    const wakes: WakeSource = {
      subscribe(_, given) {
        wake = given;
        void doStep(0);
        return () => undefined;
      },
    };
    const entries: ListedEntry[] = [];
    const { signal } = new AbortController();
    for await (const entry of view.follow(after, { wakes, signal })) {
      entries.push(entry);
      if (entries.length === count) break;
      await doStep(entries.length);
    }
    return entries;
  };
  return {
    path,
    view,
    followed,
    follow: async (...given: Parameters<typeof followed>) => lettersOf(await followed(...given)),
    async openFiles(): Promise<string[]> {
      const all = await readdir("/proc/self/fd");
      const links = await Promise.all(
        all.map((name) => readlink(join("/proc/self/fd", name)).catch(() => "")),
      );
      return links.filter((link) => link.startsWith(directory.path));
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}
