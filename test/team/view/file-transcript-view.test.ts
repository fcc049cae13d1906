import { appendFile, readdir, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { WakeSource } from "../../../src/lib/wake-source.ts";
import { FileTranscriptView } from "../../../src/team/view/file-transcript-view.ts";
import type { ListedEntry, PageCursor } from "../../../src/team/view/team-view.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";

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

async function openView() {
  const directory = await temporaryDirectory();
  const path = join(directory.path, "lead.jsonl");
  const view = new FileTranscriptView({
    ...{ path, chain: undefined },
    onDamage: ({ reason }) => {
      throw new Error(reason);
    },
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
