import { expect, test } from "vitest";
import { between, durationText } from "../../web/src/state/durations.ts";
import {
  isOpen,
  isRunOpen,
  untouched,
  withAllTurned,
  withFold,
} from "../../web/src/views/transcript/folds.ts";
import { excerptOf, highlighted } from "../../web/src/views/transcript/highlight.ts";
import { note, second } from "./transcript-entries.ts";

const matches = (text: string, search: string) =>
  highlighted(text, search).flatMap((piece) => (piece.isMatch ? [piece.text] : []));

test("every match is highlighted, ignoring case, and no text is lost", () => {
  const text = "Test, test and tEst";

  expect(matches(text, "test")).toEqual(["Test", "test", "tEst"]);
  expect(
    highlighted(text, "test")
      .map((piece) => piece.text)
      .join(""),
  ).toBe(text);
});

test("the search text is taken literally", () => {
  expect(matches("a.c abc a.c", "a.c")).toEqual(["a.c", "a.c"]);
  expect(matches("f(x) [y] {z} \\ ^ $ | - /", "f(x) [y] {z} \\ ^ $ | - /")).toHaveLength(1);
});

test("letters that change length with their case shift no highlight", () => {
  expect(matches("İİİ test", "test")).toEqual(["test"]);
});

test("nothing is highlighted without a search", () => {
  expect(highlighted("text", "")).toEqual([{ text: "text", isMatch: false }]);
});

test("the highlights of a text full of matches are limited, and the text stays whole", () => {
  const text = "a".repeat(5_000);
  const pieces = highlighted(text, "a");

  expect(pieces.length).toBeLessThan(1_100);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
});

test("an excerpt shows the match with the surrounding text, on one line", () => {
  const text = `${"before ".repeat(40)}\n\tthe needle\n${"after ".repeat(80)}`;

  const excerpt = excerptOf(note({ cursor: "1" }, text), "Needle");

  expect(excerpt).toMatch(/^… .*before the needle after .* …$/);
  expect(excerpt.length).toBeLessThan(300);
});

test("durations are in common units", () => {
  const said = [0, 340, 4_240, 9_960, 59_400, 60_000, 192_000, 3_600_000, 7_500_000];

  expect(said.map(durationText)).toEqual([
    ...["0 ms", "340 ms", "4.2 s", "10 s", "59 s", "1 min", "3 min 12 s", "1 h", "2 h 5 min"],
  ]);
});

test("there is no duration between unknown times, or in the wrong order", () => {
  expect(between(second(1), second(3))).toBe(2_000);
  expect([between(null, second(1)), between(second(3), second(1)), between("?", "?")]).toEqual([
    ...[null, null, null],
  ]);
});

test("what a person opened stays open until everything is folded or unfolded", () => {
  const opened = withFold(untouched, "a", true);
  const all = withAllTurned(opened);
  const none = withAllTurned(withFold(all, "run", false));

  expect([isOpen(opened, "a", false), isOpen(opened, "b", false)]).toEqual([true, false]);
  expect([isOpen(all, "b", false), isOpen(none, "a", true)]).toEqual([true, false]);
  expect([isRunOpen(withFold(all, "run", false), "run"), isRunOpen(none, "run")]).toEqual([
    ...[false, true],
  ]);
});
