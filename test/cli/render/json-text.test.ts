import { expect, test } from "vitest";
import { jsonText } from "../../../src/cli/render/json-text.ts";

const hostile = {
  "k\u009by": "\u001b[2J\u009b2J\u007f\u202eevil\u200b\u2028\u{e0041}\n",
  list: ["é", "👍", "\u{1f468}\u200d\u{1f4bb}"],
};

test("control and hidden characters are escaped, and the value stays the same", () => {
  for (const space of [undefined, 2]) {
    const text = jsonText(hostile, space);

    expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\u2028\u{e0041}]/u);
    expect(JSON.parse(text)).toEqual(hostile);
  }
});

test("without such characters the output is that of JSON.stringify", () => {
  const plain = { a: ["é", "👍", 'q"'], b: { c: null } };

  expect(jsonText(plain)).toBe(JSON.stringify(plain));
  expect(jsonText(plain, 2)).toBe(JSON.stringify(plain, null, 2));
});
