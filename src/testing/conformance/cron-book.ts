import { describe, expect } from "vitest";
import type { CronBook } from "../../crons/cron-book.ts";
import { CronEntry, CronId } from "../../protocol/cron.ts";
import { testWith } from "./test-with.ts";

/** A new empty book. `reopen` opens the same one as a second process. */
export interface CronBookFixture extends AsyncDisposable {
  book: CronBook;
  reopen?(): Promise<CronBook>;
}

/** The promises in cron-book.ts, one test each. */
export function testCronBook(name: string, open: () => Promise<CronBookFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the cron book's promises`, () => {
    test("a new book is empty", async ({ book }) => {
      expect(await book.list()).toEqual([]);
    });

    test("entries are listed unchanged, oldest first", async ({ book }) => {
      const newer = entry({ id: "00000001", created_at: "2026-01-02T00:00:00.000Z" });
      const older = entry({ id: "00000002", prompt: "one\ntwo „three“", next_at: null });

      await book.put(newer);
      await book.put(older);

      expect(await book.list()).toEqual([older, newer]);
    });

    test("an entry replaces an earlier one with the same id", async ({ book }) => {
      await book.put(entry({ next_at: "2026-01-01T09:00:00.000Z" }));

      await book.put(entry({ next_at: "2026-01-02T09:00:00.000Z" }));

      expect(await book.list()).toEqual([entry({ next_at: "2026-01-02T09:00:00.000Z" })]);
    });

    test("a removed entry is gone, and removing it again changes nothing", async ({ book }) => {
      const kept = entry({ id: "00000002" });
      await book.put(entry({ id: "00000001" }));
      await book.put(kept);

      await book.remove(CronId.parse("00000001"));
      await book.remove(CronId.parse("00000001"));

      expect(await book.list()).toEqual([kept]);
    });

    test("changing an entry after it was put or listed does not change the book", async ({
      book,
    }) => {
      const put = entry();
      await book.put(put);

      put.prompt = "changed";
      for (const listed of await book.list()) listed.prompt = "changed";

      expect(await book.list()).toEqual([entry()]);
    });

    test("a second process lists the same entries", async (fixture, { skip }) => {
      if (!fixture.reopen) return skip("backend lives in one process");
      await fixture.book.put(entry());

      const other = await fixture.reopen();

      expect(await other.list()).toEqual([entry()]);
    });
  });
}

function entry(fields: Partial<Record<keyof CronEntry, string | null>> = {}): CronEntry {
  return CronEntry.parse({
    id: "00000001",
    cron: "0 9 * * 1-5",
    prompt: "Look at the build.",
    member: "alice",
    once: false,
    created_by: "lead",
    created_at: "2026-01-01T00:00:00.000Z",
    next_at: "2026-01-01T09:00:00.000Z",
    ...fields,
  });
}
