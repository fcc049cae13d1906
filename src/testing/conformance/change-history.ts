import { describe, expect } from "vitest";
import { hashOf } from "../../lib/content-file.ts";
import { lead, user } from "../../protocol/ids.ts";
import type { ChangeHistory, ComingChange } from "../../workspace/change-history.ts";
import type { ManualClock } from "../manual-clock.ts";
import { testWith } from "./test-with.ts";

/** An empty history. `reopen` opens the same one as a later process, where there can be one. */
export interface ChangeHistoryFixture extends AsyncDisposable {
  history: ChangeHistory;
  clock: ManualClock;
  reopen(): ChangeHistory;
}

/** The promises in change-history.ts, one test each. `open` makes one that keeps no more than it is told. */
export function testChangeHistory(
  name: string,
  open: (limits?: { changes: number; bytes: number }) => Promise<ChangeHistoryFixture>,
): void {
  const test = testWith(() => open());
  describe(`${name} keeps the change history's promises`, () => {
    test("a change is known as soon as it is noted, with the content before it", async ({
      history,
      reopen,
    }) => {
      await note(history, { before: undefined, after: one });
      await note(history, { before: one, after: two });
      const content = await history.content(hashOf(one));

      expect(await reopen().since(always)).toMatchObject({
        isWhole: true,
        changes: [
          { before: null, after: hashOf(one), member: "lead", path: "/w/a.txt", kept: true },
          { before: hashOf(one), after: hashOf(two), kept: true },
        ],
      });
      expect([content, await reopen().content(hashOf(one))]).toEqual([one, one]);
      expect(await history.content(hashOf(two))).toBeUndefined();
    });

    test("the changes since a time are given, and all after them, though the clock was set back", async ({
      history,
      clock,
    }) => {
      await note(history, { before: undefined, after: one });
      clock.advance(1_000);
      await note(history, { before: one, after: two });
      const since = clock.now();
      clock.jump(-3_600_000);
      await note(history, { before: two, after: three });

      const { changes } = await history.since(since);

      expect(changes.map(({ after }) => after)).toEqual([hashOf(two), hashOf(three)]);
    });

    test("P24 a secret content is not copied", async ({ history }) => {
      await note(history, { before: one, after: two }, { isSecret: true });

      expect((await history.since(always)).changes).toMatchObject([
        { before: hashOf(one), kept: false },
      ]);
      expect(await history.content(hashOf(one))).toBeUndefined();
    });

    test("a content that somebody changes later stays as it was", async ({ history }) => {
      const content = Buffer.from("one");
      await note(history, { before: content, after: two });
      content.write("two");

      expect(await history.content(hashOf(one))).toEqual(one);
    });
  });

  describe(`${name}, which is nearly full,`, () => {
    testWith(() => open({ changes: 2_000, bytes: one.length + two.length }))(
      "drops nothing for a change of a rewind",
      async ({ history }) => {
        const rewind = { member: user, makesRoom: false };
        await note(history, { before: one, after: two });
        await note(history, { before: two, after: undefined }, rewind);
        await note(history, { before: three, after: one }, rewind);

        const { changes, isWhole } = await history.since(always);

        expect(isWhole).toBe(true);
        expect(changes.map(({ member, kept }) => [member, kept])).toEqual([
          ...[["lead", true] as const, ["user", true] as const, ["user", false] as const],
        ]);
        expect(await history.content(hashOf(one))).toEqual(one);
      },
    );

    testWith(() => open({ changes: 4, bytes: 1_000 }))(
      "P25 keeps the newest changes with their contents, and says when it has dropped some",
      async ({ history, clock }) => {
        const times: Date[] = [];
        for (let number = 0; number < 20; number++) {
          clock.advance(1_000);
          times.push(clock.now());
          await note(history, { before: numbered(number), after: numbered(number + 1) });
        }

        const { changes } = await history.since(always);
        const known = await Promise.all(times.map((time) => history.since(time)));
        const kept = await Promise.all(
          times.map((_, number) => history.content(hashOf(numbered(number)))),
        );

        expect(changes.length).toBeGreaterThan(0);
        expect(changes.length).toBeLessThan(7);
        const first = times.length - changes.length;
        const isLate = times.map((_, number) => number >= first);
        expect(known.map(({ isWhole }) => isWhole)).toEqual(isLate);
        expect(kept.map((content) => content !== undefined)).toEqual(isLate);
      },
    );

    testWith(() => open({ changes: 2_000, bytes: 10 }))(
      "P25 keeps no more contents than there is room for",
      async ({ history }) => {
        const contents = [Buffer.alloc(8, "x"), Buffer.alloc(8, "y"), one, two, three];
        for (const before of contents) await note(history, { before, after: one });

        const kept = await Promise.all(contents.map((each) => history.content(hashOf(each))));
        expect(kept.reduce((sum, each) => sum + (each?.length ?? 0), 0)).toBeLessThanOrEqual(10);
        expect(kept.at(-1)).toEqual(three);
      },
    );
  });
}

const [one, two, three] = [Buffer.from("one"), Buffer.from("two"), Buffer.from("three")];
const always = new Date(0);

function numbered(number: number): Buffer {
  return Buffer.from(`before ${number}`);
}

function note(
  history: ChangeHistory,
  contents: Pick<ComingChange, "before" | "after">,
  given: Partial<Parameters<ChangeHistory["keep"]>[0]> = {},
): Promise<void> {
  const usual = { member: lead, isSecret: false, makesRoom: true };
  return history.keep({ root: "/w", path: "/w/a.txt", ...contents, ...usual, ...given });
}
