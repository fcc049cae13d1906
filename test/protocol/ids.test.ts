import { expect, test } from "vitest";
import {
  MessageId,
  newMessageId,
  parseMemberName,
  parseTeammateName,
} from "../../src/protocol/ids.ts";

test.each(["alice", "Alice", "a", "back-end_2", "x".repeat(32)])("%j is a name", (name) => {
  expect(parseTeammateName(name)).toBe(name.toLowerCase());
});

test.each([
  "",
  " ",
  "2fast",
  "-a",
  "_a",
  "a b",
  "../lead",
  "a/b",
  "a\\b",
  "a.b",
  "a\u0000",
  "ünal",
  "alice\n",
  "x".repeat(33),
  "x".repeat(100_000),
])("%.40j is not a name, and the error has the rule", (name) => {
  expect(() => parseMemberName(name)).toThrow(
    expect.objectContaining({ code: "name-invalid", hint: expect.stringContaining("1 to 32") }),
  );
});

test.each(["lead", "user", "system", "all", "team", "outside", "LEAD"])(
  "%j is reserved",
  (name) => {
    expect(() => parseTeammateName(name)).toThrow("reserved");
  },
);

test("a message's id is a UUIDv7: its time, its version, and the rest random", () => {
  const now = new Date("2026-01-02T03:04:05.678Z");

  const ids = Array.from({ length: 1000 }, () => newMessageId(now));

  expect(new Set(ids).size).toBe(1000);
  for (const id of ids) {
    expect(MessageId.parse(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
    expect(Number.parseInt(id.slice(0, 13).replace("-", ""), 16)).toBe(now.getTime());
  }
});
