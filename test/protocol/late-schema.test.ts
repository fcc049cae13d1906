import { expect, test } from "vitest";
import { z } from "zod";
import { lateSchema } from "../../src/protocol/late-schema.ts";

test("the schema of a field is made for the first record that has it, and checks it", () => {
  let made = 0;
  const record = z.object({
    name: z.string(),
    limits: lateSchema(() => {
      made++;
      return z.object({ turns: z.array(z.int()) });
    }).optional(),
  });

  expect(record.parse({ name: "a" })).toEqual({ name: "a" });
  expect(made).toBe(0);
  expect(record.parse({ name: "a", limits: { turns: [1] } })).toEqual({
    name: "a",
    limits: { turns: [1] },
  });
  expect(record.safeParse({ name: "a", limits: { turns: [1, "x"] } }).error?.issues).toMatchObject([
    { path: ["limits", "turns", 1], message: expect.stringContaining("expected number") },
  ]);
  expect(record.safeParse({ name: "a", limits: 7 }).success).toBe(false);
});
