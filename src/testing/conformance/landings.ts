import { describe, expect } from "vitest";
import type { LandingDraft, LandingMove, Landings } from "../../landing/landings.ts";
import { CommitId, LandingId, MemberName } from "../../protocol/ids.ts";
import type { Landing, LandingState } from "../../protocol/landing.ts";
import type { ManualClock } from "../manual-clock.ts";
import { catchUncaughtErrors } from "../uncaught-errors.ts";
import { testWith } from "./test-with.ts";

/** A team without landings. `reopen` opens the same ones as the next process. */
export interface LandingsFixture extends AsyncDisposable {
  landings: Landings;
  clock: ManualClock;
  reopen(): Promise<Landings>;
}

/** The promises in landings.ts, one test each. */
export function testLandings(name: string, open: () => Promise<LandingsFixture>): void {
  describe(`${name} keeps the promises of landings`, () => {
    testQueue(open);
    testMoves(open);
  });
}

function testQueue(open: () => Promise<LandingsFixture>): void {
  const test = testWith(open);
  test("a new landing is taken, at the end of the queue", async ({ landings }) => {
    const first = await landings.take(draft("a"));
    const second = await landings.take({
      ...draft("b"),
      ...{ member: bob, attempt: 2, approved: true, reason: "its run was interrupted" },
    });

    expect(first).toEqual({
      ...draft("a"),
      ...{ id: "1", state: "taken", attempt: 1, approved: false, reason: null },
      ...{ onto: null, merge_commit: null, files: [], check: null, replaced_by: null },
      ...{ created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z" },
      version: 1,
    });
    expect(second).toMatchObject({
      ...{ id: "2", member: "bob", attempt: 2, approved: true },
      reason: "its run was interrupted",
    });
    expect(await landings.list()).toEqual([first, second]);
    expect(await landings.get(second.id)).toEqual(second);
  });

  test("a commit is taken once for each member, however often that is repeated", async ({
    landings,
  }) => {
    const repeated = await Promise.all(Array.from({ length: 6 }, () => landings.take(draft("a"))));
    const moved = await landings.move(first(repeated), discarded);
    const others = await landings.take({ ...draft("a"), member: bob });

    expect(new Set(repeated.map(({ id }) => id)).size).toBe(1);
    expect(await landings.take(draft("a"))).toEqual(moved);
    expect(await landings.list()).toEqual([moved, others]);
  });

  test("landings taken at the same moment have different ids, in one order", async ({
    landings,
  }) => {
    const names = Array.from({ length: 12 }, (_, index) => index.toString(16));

    const taken = await Promise.all(names.map((digit) => landings.take(draft(digit))));

    const ids = taken.map(({ id }) => Number(id)).sort((a, b) => a - b);
    expect(ids).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    expect((await landings.list()).map(({ id }) => Number(id))).toEqual(ids);
  });

  test("an unknown id is an error that lists the landings there are", async ({ landings }) => {
    const missing = LandingId.parse("9");
    await expect(landings.get(missing)).rejects.toMatchObject({
      ...{ code: "landing-unknown", hint: "Nothing has been handed in to land." },
    });
    await landings.take(draft("a"));

    const unknown = { code: "landing-unknown", hint: "Landings: 1." };
    await expect(landings.get(missing)).rejects.toMatchObject(unknown);
    await expect(landings.move({ id: missing, version: 1 }, discarded)).rejects.toMatchObject(
      unknown,
    );
  });

  test("changing a returned landing does not change the store", async ({ landings }) => {
    const landing = await landings.move(await landings.take(draft("a")), merged);
    const over = await landings.move(landing, { state: "landed" });

    for (const given of [over, await landings.get(over.id), ...(await landings.list())]) {
      given.files.push("x");
      given.state = "failed";
    }

    expect(await landings.get(over.id)).toMatchObject({ state: "landed", files: [] });
  });

  test("all of them are there for the next process, as they are", async (fixture) => {
    const { landings } = fixture;
    const taken = await landings.take(draft("a"));
    const other = await landings.take(draft("b"));
    const stopped = await landings.move(taken, conflict);

    const reopened = await fixture.reopen();

    expect(await reopened.list()).toEqual([stopped, other]);
    expect(await reopened.take(draft("a"))).toEqual(stopped);
    expect(await reopened.take(draft("c"))).toMatchObject({ id: "3" });
  });
}

function testMoves(open: () => Promise<LandingsFixture>): void {
  const test = testWith(open);
  test("each state has the facts that it needs, and loses those of an earlier merge", async ({
    landings,
    clock,
  }) => {
    let landing = await landings.take(draft("a"));
    const move = async (to: LandingMove) => {
      clock.advance(1000);
      landing = await landings.move(landing, to);
      return landing;
    };
    const facts = { onto: merged.onto, merge_commit: merged.merge_commit };
    const none = { onto: null, merge_commit: null, files: [], check: null, reason: null };

    expect(await move(merged)).toMatchObject({ ...facts, version: 2 });
    expect(await move(rejected)).toMatchObject({ ...facts, check: rejected.check });
    expect(await move({ state: "taken", reason: "asked", approved: true })).toMatchObject({
      ...none,
      ...{ reason: "asked", approved: true },
    });
    expect(await move(conflict)).toMatchObject({
      ...{ onto: conflict.onto, files: ["a.txt"], merge_commit: null, reason: null },
      approved: true,
    });
    expect(await move({ state: "failed", reason: "three times" })).toMatchObject({
      ...{ reason: "three times", files: ["a.txt"] },
    });
    expect(await move(discarded)).toMatchObject({ reason: null, version: 7 });
    expect(await move({ state: "taken" })).toMatchObject({ ...none, approved: true });
    expect(await move(merged)).toMatchObject({ ...facts, files: [] });
    expect(await move({ state: "landed" })).toMatchObject({
      ...{ ...facts, state: "landed", version: 10 },
      ...{ created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:09.000Z" },
    });
    expect(await landings.get(landing.id)).toEqual(landing);
  });

  test("a landing that was replaced names the one that has its work", async ({ landings }) => {
    const old = await landings.take(draft("a"));
    const { id: by } = await landings.take(draft("b"));

    expect(await landings.move(old, { state: "replaced", by })).toMatchObject({ replaced_by: by });
  });

  test("a change that is meant for another version is refused and changes nothing", async ({
    landings,
  }) => {
    const old = await landings.take(draft("a"));
    const current = await landings.move(old, merged);

    const refusal = { code: "landing-changed" };
    await expect(landings.move(old, { state: "landed" })).rejects.toMatchObject(refusal);
    await expect(
      landings.move({ ...current, version: 3 }, { state: "landed" }),
    ).rejects.toMatchObject(refusal);
    expect(await landings.get(old.id)).toEqual(current);
  });

  test("of several simultaneous changes of one version one counts", async ({ landings }) => {
    const landing = await landings.take(draft("a"));

    const outcomes = await Promise.allSettled([
      landings.move(landing, merged),
      landings.move(landing, conflict),
      landings.move(landing, discarded),
    ]);

    const won = outcomes.flatMap((it) => (it.status === "fulfilled" ? it.value : []));
    expect(won).toEqual([await landings.get(landing.id)]);
  });

  test("what is in the target or replaced does not move, and nothing goes back to merged but from the queue", async ({
    landings,
  }) => {
    const other = await landings.take(draft("f"));
    const moves: LandingMove[] = [
      { state: "taken" },
      merged,
      { state: "landed" },
      conflict,
      rejected,
      { state: "failed", reason: "x" },
      { state: "replaced", by: other.id },
      discarded,
    ];
    const possible: Partial<Record<LandingState, string[]>> = {};
    for (const [index, to] of moves.entries()) {
      const landing = await reach(landings, to, index.toString(16));
      const found: string[] = [];
      for (const next of moves) {
        const digit = `${index}${moves.indexOf(next)}`;
        const copy = await reach(landings, to, digit);
        const isAllowed = await landings.move(copy, next).then(
          () => true,
          (error: { code?: string }) => {
            expect(error.code).toBe("landing-refused");
            return false;
          },
        );
        if (isAllowed) found.push(next.state);
      }
      possible[landing.state] = found;
    }

    const ways = ["failed", "replaced", "discarded"];
    expect(possible).toEqual({
      taken: ["taken", "merged", "landed", "conflict", ...ways],
      merged: ["taken", "merged", "landed", "conflict", "rejected", ...ways],
      conflict: ["taken", ...ways],
      rejected: ["taken", ...ways],
      failed: ["taken", "replaced", "discarded"],
      discarded: ["taken"],
      landed: [],
      replaced: [],
    });
  });

  test("listeners are called after every change until they unsubscribe", async ({ landings }) => {
    using uncaught = catchUncaughtErrors();
    const seen: Landing[] = [];
    landings.onChange(() => {
      throw new Error("a listener's bug");
    });
    const stop = landings.onChange((landing) => seen.push(landing));

    const taken = await landings.take(draft("a"));
    const moved = await landings.move(taken, merged);
    stop();
    await landings.move(moved, discarded);

    expect(seen).toEqual([taken, moved]);
    expect(await uncaught.settled()).toHaveLength(3);
  });
}

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");

/** The commit of this hex digit, or these. */
function commit(digits: string): CommitId {
  return CommitId.parse(digits.padStart(40, "0"));
}

function draft(digits: string): LandingDraft {
  return {
    member: alice,
    ref: "refs/troupe/x/alice/1",
    commit: commit(digits),
    base: commit("0"),
    target: "troupe/default",
  };
}

const merged = { state: "merged", onto: commit("1"), merge_commit: commit("2") } as const;
const conflict = { state: "conflict", onto: commit("3"), files: ["a.txt"] } as const;
const discarded = { state: "discarded" } as const;
const rejected = {
  state: "rejected",
  check: { command: "npm test", exit_code: 1, reason: "it exited with 1", output: "1 failed\n" },
} as const;

/** A landing of the commit with these digits in the state of `to`. */
async function reach(landings: Landings, to: LandingMove, digits: string): Promise<Landing> {
  const taken = await landings.take({ ...draft(`abc${digits}`) });
  if (to.state === "taken") return taken;
  if (to.state !== "rejected") return landings.move(taken, to);
  return landings.move(await landings.move(taken, merged), to);
}

function first<T>([one]: readonly T[]): T {
  if (one === undefined) throw new Error("There is none");
  return one;
}
