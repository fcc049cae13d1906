import { expect, test } from "vitest";
import { z } from "zod";
import { parseJson } from "../../src/lib/json.ts";

test.each([
  ["", "1:1"],
  ['{\n  "a": oops\n}\n', "2:8"],
  ['{\n  "a": 1,\n}', "3:1"],
  ['{ "a": 1', "1:9"],
  ['{ "a": "1', "1:10"],
  ['{ "a": tru }', "1:11"],
  ["[1 2]", "1:4"],
  ['{"a":1}x', "1:8"],
  ["'a'", "1:1"],
])("%j is not JSON at %s", (text, place) => {
  expect(() => parseJson(text, z.unknown(), "file.json")).toThrow(`file.json:${place} is not JSON`);
});

test("JSON of an unexpected shape is reported with its path", () => {
  const schema = z.object({ members: z.array(z.object({ name: z.string() })) });

  expect(() => parseJson('{"members":[{"name":1}]}', schema, "file.json")).toThrow(
    "file.json, at members[0].name: ",
  );
});
