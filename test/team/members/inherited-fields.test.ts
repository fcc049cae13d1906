import { expect, test } from "vitest";
import {
  followLead,
  isOwnField,
  ownModeLimit,
  withLeads,
  withOwn,
} from "../../../src/team/members/inherited-fields.ts";
import { member } from "../../support/team.ts";

const choices = { model: "a/other", effort: "high", mode: "plan" } as const;
const follower = {
  ...member("alice"),
  inherits: ["model" as const, "effort" as const],
  ...{ model: "a/first", permission_mode: "acceptEdits" as const },
};

test("a teammate follows the lead in what it has from it, and in nothing else", () => {
  expect(followLead(follower, choices)).toEqual({ ...follower, model: "a/other", effort: "high" });
  expect(followLead({ ...follower, inherits: ["permission_mode"] }, choices)).toMatchObject({
    ...{ model: "a/first", permission_mode: "plan" },
  });
});

test("a lead that has no effort any more takes it from those that follow it; one that is not named leaves it", () => {
  const working = { ...follower, effort: "high" as const };

  expect(followLead(working, { effort: undefined }).effort).toBeUndefined();
  expect(followLead(working, { model: "a/other" }).effort).toBe("high");
});

test("a record that has what the lead has is the same record", () => {
  const followed = followLead(follower, choices);

  expect(followLead(followed, choices)).toBe(followed);
  const own = { ...follower, inherits: undefined };
  expect(followLead(own, choices)).toBe(own);
});

test("a value of its own is followed no longer, and may be none", () => {
  const own = withOwn(follower, { effort: undefined });

  expect(own.inherits).toEqual(["model"]);
  expect(followLead(own, choices)).toMatchObject({ model: "a/other", effort: undefined });
  expect(isOwnField(own, "effort")).toBe(true);
  expect(isOwnField(own, "model")).toBe(false);
  expect(withOwn({ ...follower, inherits: undefined }, { model: "b" }).inherits).toBeUndefined();
});

test("the lead's values are followed from then on, beside those that were before", () => {
  const record = withLeads({ ...follower, inherits: ["effort"] }, { model: "a/other" });

  expect(record).toMatchObject({ model: "a/other", inherits: ["model", "effort"] });
});

test("only a mode of its own limits a teammate beside the lead's", () => {
  expect(ownModeLimit(follower)).toBe("acceptEdits");
  expect(ownModeLimit({ ...follower, inherits: ["permission_mode"] })).toBe("bypassPermissions");
});
