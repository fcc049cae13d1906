import { expect, test } from "vitest";
import { columns, fitted } from "../../../src/cli/render/columns.ts";

test("what is wider than the terminal is wrapped between words, and keeps its indentation", () => {
  const text = "error: short\n  a hint with some more words";

  expect(fitted(text, 14)).toBe("error: short\n  a hint with\n  some more\n  words");
  expect(fitted(text, undefined)).toBe(text);
  expect(fitted("one-very-long-word and more", 10)).toBe("one-very-long-word\nand more");
});

test("what a call does is beside it, or below it where it is too wide, within the width", () => {
  expect(columns("/team", "the members and their status", 6, 24)).toEqual([
    "  /team   the members",
    "          and their",
    "          status",
  ]);
  expect(columns("/team", "the members and their status", 2, 24)).toEqual([
    "  /team",
    "      the members and",
    "      their status",
  ]);
});
