import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import stringWidth from "string-width";
import { expect, test } from "vitest";
import { renderDiff } from "../../../src/cli/render/diff.ts";
import { paintFor } from "../../../src/cli/render/paint.ts";
import { lineEdits } from "../../../src/lib/line-edits.ts";

const paint = paintFor(true);
const plain = (before: string, after: string, context = 3) =>
  renderDiff(before, after, { width: 60, paint, context }).map(stripVTControlCharacters);
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

test("a changed line is shown with context and line numbers", () => {
  expect(plain("a\nb\nc\n", "a\nB\nc\n")).toEqual(["1   a", "2 - b", "2 + B", "3   c"]);
});

test("lines far from any change are omitted", () => {
  const lines = numbered(30);

  expect(plain(lines.join("\n"), lines.with(5, "x").with(25, "y").join("\n"), 1)).toEqual([
    " 5   line 4",
    " 6 - line 5",
    " 6 + x",
    " 7   line 6",
    "   ⋮",
    "25   line 24",
    "26 - line 25",
    "26 + y",
    "27   line 26",
  ]);
});

test("a new file is shown as additions below its path", () => {
  const lines = renderDiff("", "a\n\tb\n", { path: "x.ts", width: 60, paint });

  expect(lines.map(stripVTControlCharacters)).toEqual(["x.ts", "1 + a", "2 +     b"]);
});

test("a missing newline at the end is a change", () => {
  expect(plain("a\n", "a")).toEqual(["1 - a", "1 + a", "  ↪ (no newline at the end)"]);
});

test("parts of a file that both end in the middle of a line have no note about it", () => {
  const parts = (before: string, after: string) =>
    renderDiff(before, after, { width: 60, paint, hasNumbers: false }).map(
      stripVTControlCharacters,
    );

  expect(parts("a", "b")).toEqual(["- a", "+ b"]);
  expect(parts("a", "")).toEqual(["- a"]);
  expect(parts("a\n", "a")).toEqual(["- a", "+ a", "↪ (the text ends without a newline)"]);
});

test("changed line endings are a change, and consistent ones are not shown", () => {
  expect(plain("a\r\nb\r\n", "a\nb\r\n")).toEqual(["1 - a\\x0d", "1 + a", "2   b\\x0d"]);
  expect(plain("a\r\nb\r\n", "c\r\nb\r\n")).toEqual(["1 - a", "1 + c", "2   b"]);
});

test("equal texts have no change", () => {
  expect(plain("a\n", "a\n")).toEqual(["(no change)"]);
});

test("changed words in a line are highlighted", () => {
  const [removed, added] = renderDiff("let total = 1;\n", "let sum = 1;\n", { width: 60, paint });

  expect(removed).toContain(paint.inverse("total"));
  expect(added).toContain(paint.inverse("sum"));
});

test("control characters are escaped, and no line is wider than the limit", () => {
  const text = fc.string({ unit: "binary", maxLength: 80 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 4, max: 60 }), (before, after, width) => {
      for (const line of renderDiff(before, after, { width, paint })) {
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
        expect(stripVTControlCharacters(line)).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      }
    }),
  );
});

test("for any two texts, the edits turn one into the other", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "{", "}"), { maxLength: 60 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const edits = lineEdits(before, after);

      const old = edits.filter(({ type }) => type !== "added");
      const young = edits.filter(({ type }) => type !== "removed");
      expect(old.map((edit) => edit.before)).toEqual([...before.keys()]);
      expect(young.map((edit) => edit.after)).toEqual([...after.keys()]);
      for (const edit of edits) {
        if (edit.type === "kept") expect(before[edit.before]).toBe(after[edit.after]);
      }
    }),
    { numRuns: 500 },
  );
});

test("many changes in a long file are found between unchanged lines", () => {
  const before = numbered(10_000);
  const after = before.map((line, index) => (index % 10 === 3 ? `${line} changed` : line));

  expect(lineEdits(before, after).filter(({ type }) => type === "kept")).toHaveLength(9_000);
});

test("texts with nothing in common are replaced as a whole", () => {
  const before = Array.from({ length: 5_000 }, (_, index) => (index % 2 === 0 ? "{" : "}"));
  const after = numbered(5_000);

  expect(lineEdits(before, after)).toHaveLength(10_000);
});
