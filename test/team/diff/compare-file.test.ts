import { expect, test } from "vitest";
import type { VersionContent } from "../../../src/team/diff/changes.ts";
import { compareFile, sizeOf } from "../../../src/team/diff/compare-file.ts";

const missing: VersionContent = { type: "missing" };
const plenty = 1_000_000;

function content(text: string | Buffer): VersionContent {
  return { type: "content", bytes: Buffer.from(text) };
}

function compare(before: VersionContent, after: VersionContent, room = plenty) {
  return compareFile({ path: "a.txt", before, after }, room);
}

test("a file that is the same, or was and is not there, is no change; an empty one that came or went is", () => {
  expect(compare(content("x"), content("x"))).toBeUndefined();
  expect(compare(missing, missing)).toBeUndefined();
  expect(compare(missing, content(""))).toMatchObject({ change: "added", added: 0, removed: 0 });
  expect(compare(content(""), missing)).toMatchObject({ change: "removed", added: 0, removed: 0 });
});

test.each([
  ["a line more at the end", "a\n", "a\nb\n", [1, 0]],
  ["the newline at the end", "a\nb", "a\nb\n", [1, 1]],
  ["an empty line", "a\nb\n", "a\n\nb\n", [1, 0]],
  ["everything", "a\nb\n", "c", [1, 2]],
] as const)("%s is counted in lines", (_, before, after, [added, removed]) => {
  expect(compare(content(before), content(after))).toEqual({
    ...{ path: "a.txt", change: "changed", reason: undefined, added, removed },
    texts: { before, after },
  });
});

test.each([
  ["before", content("\0"), content("text")],
  ["after", content("text"), content("\0text")],
])("a file that is binary %s is only named, with no lines", (_, before, after) => {
  expect(compare(before, after)).toEqual({
    ...{ path: "a.txt", change: "changed", texts: undefined, reason: "binary" },
    ...{ added: 0, removed: 0 },
  });
});

test("a zero byte makes a file binary only near the beginning, as for git", () => {
  const withZeroAt = (index: number) => content(`${"x".repeat(index)}\0`);

  expect(compare(missing, withZeroAt(7_999))?.reason).toBe("binary");
  expect(compare(missing, withZeroAt(8_000))?.reason).toBeUndefined();
});

test("a file whose texts do not fit into the room is only named", () => {
  const [before, after] = [content("four"), content("seven..")];

  expect(compare(before, after, 11)?.texts).toEqual({ before: "four", after: "seven.." });
  expect(compare(before, after, 10)).toMatchObject({
    ...{ texts: undefined, reason: "there is too much to show" },
  });
});

test("the room that a file takes is that of both texts, and of a file that is only named none", () => {
  const shown = compare(content("four"), content("seven.."));
  const named = compare(content("\0"), content("seven.."));

  expect(shown && sizeOf(shown)).toBe(11);
  expect(named && sizeOf(named)).toBe(0);
});

test("a file of which one version is unknown is named with the reason", () => {
  const unknown: VersionContent = { type: "unknown", reason: "a link" };

  expect(compare(unknown, missing)).toMatchObject({ change: "removed", reason: "a link" });
  expect(compare(content("x"), unknown)).toMatchObject({ change: "changed", reason: "a link" });
});
