import { expect, test } from "vitest";
import { CommitId, LandingId, MemberName } from "../../../src/protocol/ids.ts";
import type { Landing, LandingState } from "../../../src/protocol/landing.ts";
import {
  broughtView,
  cleanedView,
  landingChangesView,
  landingViews,
} from "../../../src/server/room/landing-view.ts";

const commit = CommitId.parse("a".repeat(40));
const at = "2026-01-01T00:00:00.000Z";

function landing(id: number, state: LandingState, more: Partial<Landing> = {}): Landing {
  return {
    ...{ id: LandingId.parse(String(id)), member: MemberName.parse("alice"), state, commit },
    ...{ ref: "refs/troupe/x/alice/1", base: commit, target: "troupe/default", attempt: 1 },
    ...{ approved: false, reason: null, onto: null, merge_commit: null, files: [], check: null },
    ...{ replaced_by: null, created_at: at, updated_at: at, version: 1 },
    ...more,
  };
}

test.each<[LandingState, Partial<Landing>, boolean, boolean]>([
  ["taken", { reason: "It waits for your decision" }, true, true],
  ["taken", { reason: "It waits for your decision", approved: true }, false, true],
  ["taken", {}, false, true],
  ["merged", {}, false, true],
  ["conflict", { files: ["a.txt"] }, true, true],
  ["rejected", {}, true, true],
  ["failed", {}, true, true],
  ["discarded", {}, true, false],
  ["landed", {}, false, false],
  ["replaced", {}, false, false],
])(
  "a landing that is %s (%j) has the buttons that do something",
  (state, more, lands, discards) => {
    expect(landingViews([landing(1, state, more)])).toMatchObject([
      { can_land: lands, can_discard: discards },
    ]);
  },
);

test("all work that has not landed is shown, and the newest of the rest", () => {
  const over = Array.from({ length: 200 }, (_, index) => landing(index + 2, "landed"));

  const ids = landingViews([landing(1, "conflict"), ...over]).map(({ id }) => id);

  expect(ids).toHaveLength(51);
  expect([ids[0], ids[1], ids.at(-1)]).toEqual(["1", "152", "201"]);
});

test("hidden characters are spelled out, and a change that is too large is only named", () => {
  const [view] = landingViews([landing(1, "conflict", { files: ["a\u202Eb"] })]);
  const text = (count: number) => "line\n".repeat(count);
  const file = (path: string, after: string) => ({
    ...{ path, change: "added" as const, texts: { before: "", after } },
    ...{ reason: undefined, added: 1, removed: 0 },
  });
  const many = Array.from({ length: 10 }, (_, index) => file(`${index}.txt`, text(1_500)));

  const { files, more } = landingChangesView({
    landing: landing(1, "taken"),
    files: [file("a\u202Eb", "x\n"), ...many],
    more: 3,
  });

  expect(view?.files).toEqual(["a<U+202E>b"]);
  expect(files[0]).toMatchObject({ path: "a<U+202E>b", diff: [{ type: "added", text: "x" }] });
  expect(files.at(-1)).toMatchObject({ diff: null, reason: "there is too much to show" });
  expect(more).toBe(3);
});

test("what was brought, is in conflict or in the way is listed, with hidden characters spelled out", () => {
  const about = { target: "troupe/default", branch: "main" };
  const files = Array.from({ length: 102 }, (_, index) => `${index}.txt`);

  const { results } = broughtView([
    { ...about, type: "nothing" },
    { ...about, type: "brought", files, isMerge: false },
    { ...about, type: "conflict", files: ["a\u202Eb"] },
    { ...about, type: "blocked", files: [{ path: "c", reason: "you have staged it" }], written: 0 },
  ]);

  expect(results.map(({ files: shown, more }) => [shown.length, more])).toEqual([
    ...[
      [0, 0],
      [100, 2],
      [1, 0],
      [1, 0],
    ],
  ]);
  expect(results[2]?.files).toEqual([{ path: "a<U+202E>b", reason: null }]);
  expect(results[3]?.files).toEqual([{ path: "c", reason: "you have staged it" }]);
});

test("checkouts that were removed are counted, and those that stay are named", () => {
  const checkout = {
    ...{ member: MemberName.parse("alice"), state: "retired" as const, path: "/c", base: commit },
    ...{ repository: "/r/.git", since: at, kept: undefined, isEarlier: false },
  };

  expect(
    cleanedView({ removed: [checkout], stayed: [{ checkout, reason: "something runs in it" }] }),
  ).toEqual({ removed: 1, stayed: [{ member: "alice", reason: "something runs in it" }] });
});
