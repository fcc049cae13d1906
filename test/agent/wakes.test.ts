import { expect, test } from "vitest";
import { wakes, wakesInTheEnd } from "../../src/agent/wakes.ts";
import { lead, MemberName, newMessageId, newRequestId } from "../../src/protocol/ids.ts";
import { Message } from "../../src/protocol/message.ts";

const request_id = newRequestId(new Date(0));
const plan = { request_id, plan: "This." };
const denied = { request_id, decision: "deny", reason: "" };
const asked = { request_id, tool: "bash", input: {}, reason: "" };

test.each([
  ["message", {}, true],
  ["broadcast", {}, true],
  ["task_assignment", { task_id: "1" }, true],
  ["plan_approval_request", plan, true],
  ["plan_approval_response", { request_id, approve: true }, true],
  ["shutdown_request", { request_id }, true],
  ["shutdown_request", { request_id, to: lead }, false],
  ["shutdown_response", { request_id, approve: true, reason: "" }, false],
  ["shutdown_response", { request_id, approve: false, reason: "" }, true],
  ["result", { outcome: "done" }, true],
  ["result", { outcome: "failed" }, true],
  ["result", { outcome: "interrupted" }, false],
  ["result", { outcome: "done", woken_by_peers: true }, false],
  ["teammate_terminated", { name: "bob", reason: "" }, true],
  ["teammate_terminated", { name: "bob", reason: "", expected: true }, false],
  ["idle_notification", {}, false],
  ["permission_request", asked, false],
  ["permission_response", denied, false],
  ["team_permission_update", { rule: "bash", decision: "allow" }, false],
  ["mode_set_request", { mode: "plan" }, false],
])("P03 P05 a %s with %o is worth a run at once: %s", (type, fields, expected) => {
  expect(wakes(sent(type, fields))).toBe(expected);
});

test.each([
  ["result", { outcome: "done", woken_by_peers: true }, true],
  ["result", { outcome: "interrupted" }, false],
  ["idle_notification", {}, false],
  ["message", {}, false],
])("a %s with %o is worth a run in the end: %s", (type, fields, expected) => {
  expect(wakesInTheEnd(sent(type, fields))).toBe(expected);
});

function sent(type: string, fields: object): Message {
  return Message.parse({
    ...{ id: newMessageId(new Date(0)), type, from: "bob", to: MemberName.parse("alice") },
    ...{ content: "", timestamp: 1, ...fields },
  });
}
