import fc from "fast-check";
import { expect, test } from "vitest";
import { shown } from "../../../src/cli/render/shown.ts";

test.each([
  ["lines stay lines", "a\n\n b", "a\n\n b"],
  ["a Windows newline is a newline", "a\r\nb", "a\nb"],
  ["a carriage return alone is shown", "a\rb", "a\\x0db"],
  ["a tab goes to the next multiple of four", "\ta\tbcd\t漢\tx", "    a   bcd 漢  x"],
  ["tabs count from the beginning of each line", "ab\n\tc", "ab\n    c"],
  ["the cursor is not moved", "\u001b[2J\u001b[1;1H", "\\x1b[2J\\x1b[1;1H"],
  ["the title is not changed", "\u001b]0;x\u0007", "\\x1b]0;x\\x07"],
  ["eight-bit controls are shown", "\u009b31m", "\\x9b31m"],
  ["the direction of writing is not turned", "a\u202eb\u2066c", "a\\u{202e}b\\u{2066}c"],
  ["what has no width is shown", "a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"],
  ["a filler that looks like nothing is shown", "a\u3164b", "a\\u{3164}b"],
  ["letters hidden as tags are shown", "🏴\u{e0061}", "🏴\\u{e0061}"],
  ["selectors that carry bytes are shown", "a\ufe01\u{e0105}", "a\\u{fe01}\\u{e0105}"],
  ["a joiner between letters is shown", "a\u200db", "a\\u{200d}b"],
  ["a joiner after an emoji is shown", "👩\u200dx", "👩\\u{200d}x"],
  ["joined emoji stay", "👩‍👩‍👧 👍🏽 ❤️ 1️⃣ 🏳️‍🌈", "👩‍👩‍👧 👍🏽 ❤️ 1️⃣ 🏳️‍🌈"],
  ["a second selector is shown", "❤\ufe0f\ufe0f", "❤\ufe0f\\u{fe0f}"],
  ["half a letter is shown", "\ud83dx", "\\u{d83d}x"],
  ["accents and other scripts stay", "e\u0301 नमस्ते 漢字 עברית", "e\u0301 नमस्ते 漢字 עברית"],
])("%s", (_title, text, expected) => {
  expect(shown(text)).toBe(expected);
});

test("no control sequence of any text is left, and escaping it again changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const once = shown(text);

      expect(once.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
      expect(shown(once)).toBe(once);
    }),
  );
});
