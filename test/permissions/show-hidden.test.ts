import fc from "fast-check";
import { expect, test } from "vitest";
import { hasHidden, showHidden } from "../../src/permissions/show-hidden.ts";

test.each([
  ["rm\u200b -rf", "rm<U+200B> -rf"],
  ["a\u202eb", "a<U+202E>b"],
  ["a\rb\u001b[2K\u0000", "a<U+000D>b<U+001B>[2K<U+0000>"],
  ["a\u00a0b", "a<U+00A0>b"],
  ["\ud800", "<U+D800>"],
  ["\u{e0041}", "<U+E0041>"],
  ["\u3164\u2800", "<U+3164><U+2800>"],
])("%j is shown as %j", (text, shown) => {
  expect(showHidden(text)).toBe(shown);
  expect(hasHidden(text)).toBe(true);
});

test.each(["ls -la\n\tcat", "naïve 日本語 ✔️ 🎉", "a'b\"c$(d)"])("%j has nothing hidden", (text) => {
  expect(showHidden(text)).toBe(text);
  expect(hasHidden(text)).toBe(false);
});

test("the output has no hidden characters", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !hasHidden(showHidden(text))));
});
