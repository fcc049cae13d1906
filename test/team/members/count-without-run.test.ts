import { expect, test } from "vitest";
import { MemberName, newMessageId, user } from "../../../src/protocol/ids.ts";
import { Message } from "../../../src/protocol/message.ts";
import { countWithoutRun } from "../../../src/team/members/wake-policy.ts";

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const request_id = "019b78c9-0a80-7982-9914-3907359dc4e0";

function mail(draft: Record<string, unknown>): Message {
  return Message.parse({
    ...{ id: newMessageId(new Date()), to: alice, timestamp: 1, from: user },
    ...draft,
  });
}

const rule = mail({ type: "team_permission_update", rule: "bash", decision: "allow" });
const notice = mail({ type: "idle_notification", from: bob });

test("a completed order is taken, with the mail before it", () => {
  expect(countWithoutRun([notice, rule, notice])).toBe(2);
  expect(countWithoutRun([notice])).toBe(0);
});

test.each([
  ["a message", mail({ type: "message", from: bob })],
  [
    "a report that may wait",
    mail({ type: "result", from: bob, outcome: "done", woken_by_peers: true }),
  ],
  [
    "the person's answer to a plan",
    mail({ type: "plan_approval_response", request_id, approve: true }),
  ],
])("P03 %s is not taken without a run, even if an order comes with it", (_, worthy) => {
  expect(countWithoutRun([worthy, rule])).toBe(0);
  expect(countWithoutRun([rule, worthy, rule])).toBe(0);
});

test("mail that would hide everything after it is taken", () => {
  expect(countWithoutRun(Array(2_000).fill(mail({ type: "message", from: bob })))).toBe(2_000);
});
