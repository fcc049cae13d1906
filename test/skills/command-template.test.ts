import { expect, test } from "vitest";
import { fillTemplate, splitWords } from "../../src/skills/command-template.ts";

const textOf = (body: string, argument: string) =>
  fillTemplate(body, argument)
    .parts.map((part) => (part.type === "text" ? part.text : `<${part.command}>`))
    .join("");

test.each([
  ["all arguments", "Fix $ARGUMENTS now", "a b", "Fix a b now"],
  ["one after the other", "$1 to $2, not $3.", 'x "y z"', "x to y z, not ."],
  ["one that is used twice", "$1$1 and $ARGUMENTS", "x", "xx and x"],
  [
    "amounts and variables",
    "$100, $HOME, $ARGUMENTSX, $1st, $0",
    "x",
    "$100, $HOME, $ARGUMENTSX, $1st, $0\n\nx",
  ],
  ["arguments that nothing names", "Review.", "src", "Review.\n\nsrc"],
  ["no arguments", "Review $1.", "", "Review ."],
  ["signs that mean something to replace()", "Pay $ARGUMENTS", "$& $1 $$", "Pay $& $1 $$"],
  ["a command line", "Diff: !`git diff $1`.", "HEAD~1", "Diff: <git diff HEAD~1>."],
  ["several", "!`a`\n- x: !`b c`", "", "<a>\n- x: <b c>"],
  ["code that only looks like one", "a!`b` and `!`", "", "a!`b` and `!`"],
])("a command's text with %s", (_, body, argument, expected) => {
  expect(textOf(body, argument)).toBe(expected);
});

test("a fenced block is shown and not run", () => {
  expect(textOf("Say:\n```\n!`rm x`\n```\nDo !`ls`", "")).toBe("Say:\n```\n!`rm x`\n```\nDo <ls>");
});

test("P13 what is typed runs nothing and mentions nothing, whatever it contains", () => {
  const { parts, mentions } = fillTemplate("Do $ARGUMENTS", "!`rm -rf .` @/etc/passwd");

  expect(parts.map(({ type }) => type)).toEqual(["text", "text"].slice(0, parts.length));
  expect(mentions).toEqual([]);
});

test("files that the command's own text mentions are found, without those in code", () => {
  const body = "See @src/a.ts, (@b.md) and `@c.md`; mail ada@example.org. @$1";

  expect(fillTemplate(body, "").mentions).toEqual(["src/a.ts,", "b.md)"]);
});

test.each([
  ['a "b c" d', ["a", "b c", "d"]],
  ['\'a b\' "c \\" d"', ["a b", 'c " d']],
  ['a"b', ['a"b']],
  ["", []],
])("the words of %j", (text, words) => {
  expect(splitWords(text)).toEqual(words);
});
