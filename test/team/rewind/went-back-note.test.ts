import { expect, test } from "vitest";
import { CommitId } from "../../../src/protocol/ids.ts";
import { wentBackNote } from "../../../src/team/rewind/went-back-note.ts";

function note({ number = 3, files = 1 }: { number?: number; files?: number }): string {
  const commit = CommitId.parse("a".repeat(40));
  const state = { number, commit, at: "2026-01-01T09:00:00.000Z" };
  const names = Array.from({ length: files }, (_, index) => `${index + 1}.txt`);
  return wentBackNote({
    ...{ state, before: { ...state, number: 7 }, inTheWay: [] },
    files: names.map((path) => ({ path, action: "restore" })),
  });
}

test("a member is told to which state its files went back, which these are, and how to return", () => {
  const text = note({ files: 2 });

  expect(text).toContain("back to how they were at 2026-01-01T09:00:00.000Z: 1.txt, 2.txt. ");
  expect(text).toContain("previous content is kept as state 7");
});

test("the first state has no time that a member could know, and no file may be different", () => {
  expect(note({ number: 0, files: 0 })).toContain("when it was made: nothing was different. ");
  expect(note({ number: 1, files: 0 })).toContain("at 2026-");
});

test("of many files 30 are named", () => {
  expect(note({ files: 30 })).toContain("29.txt, 30.txt. ");
  expect(note({ files: 32 })).toContain("29.txt, 30.txt and 2 more. ");
});
