import { expect, test } from "vitest";
import { z } from "zod";
import { canonicalJson } from "../../src/lib/canonical-json.ts";
import { jsonString, parseJson } from "../../src/lib/json.ts";
import { parseLine } from "../../src/lib/json-lines.ts";
import { decodeLine } from "../../src/mailbox/mail-line.ts";
import { lead } from "../../src/protocol/ids.ts";

const lists = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const lineOf = (text: string) => {
  const bytes = Buffer.from(text);
  return { path: "log.jsonl", offset: 0, end: bytes.length + 1, bytes, isCut: false };
};
const tooDeep = "is nested more than 200 levels deep";

test.each([201, 3_000, 100_000])("P25 a record of %i levels is damaged, and says so", (levels) => {
  for (const text of [lists(levels), objects(levels)]) {
    expect(() => parseJson(text, z.unknown(), "1.json")).toThrow(`1.json ${tooDeep}`);
    expect(jsonString(z.unknown()).safeParse(text).error?.issues[0]?.message).toBe(tooDeep);
  }
});

test("P25 a line of 100,000 levels is damaged, and says so", () => {
  const reasons: string[] = [];

  const record = parseLine(lineOf(objects(100_000)), z.unknown(), ({ reason }) =>
    reasons.push(reason),
  );

  expect(record).toBeUndefined();
  expect(reasons).toEqual([`log.jsonl, byte 0 ${tooDeep}`]);
});

test("P25 a line of mail of 100,000 levels is set aside with the reason", () => {
  const line = lineOf(`{"content":"hello","extra":${lists(100_000)}}`);
  const options = { owner: lead, generation: 1, modified: new Date(0), signature: undefined };

  const parts = decodeLine(line, options);

  expect(parts).toMatchObject([{ type: "set-aside", reason: tooDeep }]);
});

test("control: 200 levels are read, and 100,000 would overflow the stack", () => {
  for (const text of [lists(200), objects(200)]) {
    expect(canonicalJson(parseJson(text, z.unknown(), "1.json"))).toBe(text);
    expect(jsonString(z.unknown()).safeParse(text).success).toBe(true);
  }
  const deep: unknown = JSON.parse(lists(100_000));
  expect(() => JSON.stringify(deep)).toThrow(RangeError);
});
