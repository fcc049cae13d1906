import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { paintFor } from "../../../src/cli/render/paint.ts";
import { shown } from "../../../src/cli/render/shown.ts";
import { widthOf } from "../../../src/cli/render/styled-text.ts";
import { cutToWidth, wrapExactly, wrapText } from "../../../src/cli/render/wrap.ts";

const paint = paintFor(true);

test.each([
  ["words go to the next line whole", "hello brave world", 11, ["hello brave", "world"]],
  ["a word too long for a line is broken", "ab abcdefg", 4, ["ab", "abcd", "efg"]],
  ["wide letters count twice", "漢字漢字", 5, ["漢字", "漢字"]],
  ["an emoji is not broken", "👩‍👩‍👧👩‍👩‍👧", 2, ["👩‍👩‍👧", "👩‍👩‍👧"]],
  ["newlines and indentation stay", "a\n  b\n\nc", 10, ["a", "  b", "", "c"]],
  ["a mark without a letter stays", "a \u0301", 10, ["a \u0301"]],
  ["no text is one empty line", "", 10, [""]],
])("%s", (_title, text, width, lines) => {
  expect(wrapText(text, width)).toEqual(lines);
});

test("a style ends with each line and starts again on the next", () => {
  const lines = wrapText(paint.red(`one ${paint.bold("two three")} four`), 7);

  expect(lines).toEqual([
    paint.red(`one ${paint.bold("two")}`),
    `\u001b[31m\u001b[1mthree\u001b[22m\u001b[39m`,
    paint.red("four"),
  ]);
});

test("the prefix of the lines counts", () => {
  expect(wrapText("one two", 5, { indent: "• " })).toEqual(["• one", "  two"]);
  expect(wrapText("one two", 5, { indent: "- ", hanging: "> " })).toEqual(["- one", "> two"]);
  expect(wrapText("one two", 3, { indent: "123456 " })).toEqual(["one", "two"]);
});

test("exact wrapping keeps every space", () => {
  expect(wrapExactly("a  b   c", 3)).toEqual(["a  ", "b  ", " c"]);
});

test.each([
  ["hello", 5, "hello"],
  ["hello!", 5, "hell…"],
  ["漢字漢字", 5, "漢字…"],
  ["hello", 0, ""],
])("%s is cut to %i columns", (text, width, cut) => {
  expect(cutToWidth(text, width)).toBe(cut);
});

test("a cut text ends its styles", () => {
  expect(cutToWidth(paint.red(paint.bold("hello")), 3)).toBe(paint.red(paint.bold("he…")));
});

const anyText = fc.string({ unit: "binary", maxLength: 200 }).map(shown);

test("no line is wider than asked for, and only spaces are lost", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 2, max: 40 }), (text, width) => {
      const lines = wrapText(text, width);

      for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replace(/[ \n]/g, ""));
      expect(wrapExactly(text, width).join("")).toBe(text.replaceAll("\n", ""));
    }),
  );
});

test("a cut line is never wider than asked for", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 0, max: 40 }), (text, width) => {
      expect(stringWidth(cutToWidth(text.replaceAll("\n", " "), width))).toBeLessThanOrEqual(width);
    }),
  );
});

test("the width of a line is that of its characters, for any length", () => {
  expect(widthOf(paint.red("漢字a\u0301"))).toBe(5);
  expect(widthOf("👩‍👩‍👧".repeat(10_000))).toBe(20_000);
});
