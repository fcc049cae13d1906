import { expect, test } from "vitest";
import { MessageId } from "../../src/protocol/ids.ts";
import { messageIdFor } from "../../src/team/message-id-for.ts";

const at = new Date("2026-01-01T09:00:00.000Z");

test("the id of a cause is always the same, over versions too", () => {
  // Computed by another program: the time, and the SHA-256 of the cause.
  expect(messageIdFor("alice ended", at)).toBe("019b78c9-0a80-7b23-a6d1-4643bdd0e272");
  expect(messageIdFor("task 1 2 assigned", new Date(0))).toBe(
    "00000000-0000-7121-b1e4-29dd1e6a5dab",
  );
});

test("ids of other causes and times are others, and all are valid", () => {
  const ids = Array.from({ length: 200 }, (_, index) => messageIdFor(`cause ${index}`, at));

  expect(new Set([...ids, messageIdFor("cause 0", new Date(0))]).size).toBe(201);
  for (const id of ids) expect(MessageId.safeParse(id).success).toBe(true);
  const variants = new Set(ids.map((id) => id.charAt(19)));
  expect([...variants].sort()).toEqual(["8", "9", "a", "b"]);
});
