import { expect, test } from "vitest";
import { oneLine } from "../../src/cli/render/one-line.ts";

test.each([
  ["a short text is shown as it is", "hello", "hello"],
  ["space around it is left out", " \n hello\t\n", "hello"],
  ["lines are joined, blank ones left out", "a \r\n\n \n b", "a ⏎ b"],
  ["a long text ends in an ellipsis", "0123456789x", "012345678…"],
  ["a text that just fits is whole", "0123456789", "0123456789"],
  ["a letter is never cut in two", "😀".repeat(11), `${"😀".repeat(9)}…`],
  ["controls are shown", "\u001b[2J", "\\x1b[2J"],
  ["half a letter is shown", "a\ud83db", "a\\u{d83d}b"],
])("%s", (_title, text, line) => {
  expect(oneLine(text, 10)).toBe(line);
});

const size = 256 * 1024;

test.each([
  ["spaces", " ".repeat(size), ""],
  ["newlines", "\n".repeat(size), ""],
  ["spaces between letters", `a${" ".repeat(size)}b`, "a…"],
  ["newlines between letters", `a${"\n".repeat(size)}b`, "a…"],
  ["spaces and a newline between letters", `a${" ".repeat(size)}\n${" ".repeat(size)}b`, "a…"],
  ["newlines and spaces in turn", `a${"\n ".repeat(size / 2)}b`, "a…"],
])("256 KiB of %s cost no more than reading them", (_title, text, line) => {
  for (let round = 0; round < 100; round++) expect(oneLine(text, 10)).toBe(line);
});
