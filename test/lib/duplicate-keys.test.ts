import { expect, test } from "vitest";
import { duplicateKey } from "../../src/lib/duplicate-keys.ts";

test.each([
  ['{"deny": [], "deny": []}', "deny"],
  ['{"a": {"b": 1, "c": [{}], "b": 2}}', "b"],
  ['{"a": 1, "\\u0061": 2}', "a"],
  ['{"__proto__": 1, "__proto__": 2}', "__proto__"],
])("%s has %s twice", (text, key) => {
  expect(duplicateKey(text)).toBe(key);
});

test.each([
  '{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}',
  '{"a": "{\\"b\\": 1, \\"b\\": 2}", "b": "a", "c": ["x", "x"]}',
  "[]",
])("%s has no key twice", (text) => {
  expect(duplicateKey(text)).toBeUndefined();
});
