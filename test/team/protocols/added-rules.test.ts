import { expect, test } from "vitest";
import { MemberName, user } from "../../../src/protocol/ids.ts";
import type { RuleChange } from "../../../src/protocol/team.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import {
  addedRules,
  additionMessage,
  removalMessage,
  storedChanges,
} from "../../../src/team/protocols/added-rules.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

const alice = MemberName.parse("alice");

test("changes are in the order of their times, whoever made them, and answers without a rule are none", async () => {
  const clock = new ManualClock();
  const { requests } = new MemoryTeamStore({ clock });
  const answer = async (rule?: string) => {
    clock.advance(1_000);
    const subject = { tool: "bash", input: {} };
    const asked = await requests.open({ type: "permission", from: alice, to: user, subject });
    const { id, hash } = asked;
    return requests.decide(id, { by: user, state: "approved", hash, ...(rule && { rule }) });
  };
  const approved = [await answer("bash(ls:*)"), await answer(), await answer("bash(cat:*)")];

  const changes = storedChanges(approved, [
    change("bash(rm:*)", 2_500, { decision: "deny" }),
    change("bash(ls:*)", 500),
  ]);

  expect(changes).toMatchObject([
    { rule: "bash(ls:*)", from: "person", decision: "allow", change: "added" },
    { rule: "bash(ls:*)", from: "answer", decision: "allow", change: "added" },
    { rule: "bash(rm:*)", from: "person", decision: "deny" },
    { rule: "bash(cat:*)", from: "answer" },
  ]);
});

test("of several changes of a rule the last one counts, and puts it at the end", () => {
  const from = "person" as const;
  const rules = addedRules([
    { ...change("bash(one:*)", 1), from },
    { ...change("bash(two:*)", 2), from },
    { ...change("bash(gone:*)", 3), from },
    { ...change("bash(two:*)", 4, { decision: "deny" }), from },
    { ...change("bash(gone:*)", 5, { change: "removed" }), from },
    { ...change("bash(one:*)", 6), from: "answer" },
  ]);

  expect(rules).toEqual([
    { decision: "allow", rule: "bash(two:*)", from, since: timeAt(2) },
    { decision: "deny", rule: "bash(two:*)", from, since: timeAt(4) },
    { decision: "allow", rule: "bash(one:*)", from: "answer", since: timeAt(6) },
  ]);
});

test("an order adds what is a rule of a tool that there is, and nothing else", () => {
  const order = additionMessage({ decision: "deny", rule: "bash(rm:*)" });

  expect(order).toEqual({
    ...{ type: "team_permission_update", from: user, decision: "deny", rule: "bash(rm:*)" },
  });
  for (const rule of ["bash(", "Bash(ls)"]) {
    expect(() => additionMessage({ decision: "allow", rule })).toThrow();
  }
});

test("an order removes a rule that was added, with the same decision; for others it is said which there are", () => {
  const added = addedRules([
    { ...change("bash(ls:*)", 1), from: "person" },
    { ...change("bash(rm:*)", 2, { decision: "deny" }), from: "answer" },
  ]);

  expect(removalMessage({ decision: "deny", rule: "bash(rm:*)" }, added)).toEqual({
    ...{ type: "team_permission_update", from: user, decision: "deny", rule: "bash(rm:*)" },
    removed: true,
  });
  expect(() => removalMessage({ decision: "deny", rule: "bash(ls:*)" }, added)).toThrow(
    expect.objectContaining({
      ...{ code: "config-invalid", message: 'The team has no rule "deny bash(ls:*)"' },
      hint: "It can remove: allow bash(ls:*); deny bash(rm:*).",
    }),
  );
  expect(() => removalMessage({ decision: "deny", rule: "bash(ls:*)" }, [])).toThrow(
    expect.objectContaining({ hint: "It has none to remove." }),
  );
});

function change(rule: string, afterMs: number, fields: Partial<RuleChange> = {}): RuleChange {
  return { decision: "allow", rule, change: "added", at: timeAt(afterMs), ...fields };
}

function timeAt(afterMs: number): string {
  return new Date(new ManualClock().now().getTime() + afterMs).toISOString();
}
