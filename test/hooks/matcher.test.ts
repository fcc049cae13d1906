import { expect, test } from "vitest";
import { Matcher } from "../../src/hooks/matcher.ts";

const edit = ["edit_file", "Edit", "MultiEdit"];

test.each([
  [undefined, true],
  ["", true],
  ["*", true],
  ["Edit", true],
  ["edit_file", true],
  ["Write|Edit", true],
  ["Write, Edit", true],
  ["^Edit$", true],
  ["Edit.*", true],
  ["dit_f.le", true],
  ["Ed", false],
  ["edit", false],
  ["Write|Bash", false],
  ["^Notebook", false],
])("the matcher %j is for edit_file: %s", (matcher, isFor) => {
  expect(new Matcher().isFor(matcher, edit)).toBe(isFor);
});

test("a matcher of an event with nothing to compare is for all of it", () => {
  expect(new Matcher().isFor("Bash", [])).toBe(true);
});

test("a regular expression that takes for ever is stopped, and its hooks run", () => {
  const matcher = new Matcher();
  const hostile = "^(([a-z])+.)+[A-Z]([a-z])+$";
  const name = "a".repeat(64);

  expect(matcher.isFor(hostile, [name])).toBe(true);
  expect(matcher.isFor(hostile, ["B"])).toBe(false);
  // The control: it is a regular expression that is for other names only.
  expect(new RegExp(hostile).test("aaaaB")).toBe(false);
});

test("what a matcher says is text, and not code", () => {
  const matcher = new Matcher();

  expect(matcher.isFor('"+(globalThis.x=1)+"', ["Bash"])).toBe(false);
});
