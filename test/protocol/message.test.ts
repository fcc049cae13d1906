import { expect, test } from "vitest";
import { Message } from "../../src/protocol/message.ts";
import { modernize } from "../../src/protocol/modernize-message.ts";

const id = "01890a5d-ac96-774b-bcce-b302099a8057";
const envelope = { id, from: "alice", to: "lead", content: "text", timestamp: 1.5 };

test.each([
  { type: "message" },
  { type: "broadcast" },
  { type: "result", outcome: "done" },
  { type: "idle_notification" },
  { type: "task_assignment", task_id: "3" },
  { type: "plan_approval_request", request_id: id, plan: "1. …" },
  { type: "plan_approval_response", request_id: id, approve: false, feedback: "no" },
  { type: "shutdown_request", request_id: id },
  { type: "shutdown_response", request_id: id, approve: true, reason: "done" },
  { type: "permission_request", request_id: id, tool: "bash", input: { command: "ls" } },
  { type: "permission_response", request_id: id, decision: "allow-once" },
  { type: "team_permission_update", rule: "bash(ls)", decision: "allow" },
  { type: "mode_set_request", mode: "plan" },
  { type: "sandbox_permission_request", host: "example.com" },
  { type: "sandbox_permission_response", anything: [1] },
  { type: "teammate_terminated", reason: "crashed" },
])("$type is a message, with all its fields", (fields) => {
  expect(Message.parse({ ...envelope, ...fields })).toEqual({ ...envelope, ...fields });
});

test.each([
  ["an unknown type", { type: "shutdown" }],
  ["text for a truth value", { type: "shutdown_response", request_id: id, approve: "false" }],
  ["no request id", { type: "shutdown_request" }],
  ["a name that is a path", { type: "message", from: "../lead" }],
  ["an id that is none", { type: "message", id: "1" }],
  ["content that is no text", { type: "message", content: 7 }],
  ["too much content", { type: "message", content: "ü".repeat(128 * 1024 + 1) }],
])("%s is not a message", (_, fields) => {
  expect(Message.safeParse({ ...envelope, ...fields }).success).toBe(false);
});

test.each([
  [
    { type: "message", ts: 2 },
    { type: "message", timestamp: 2 },
  ],
  [
    { type: "message", ts: 2, timestamp: 1 },
    { type: "message", ts: 2, timestamp: 1 },
  ],
  [{ type: "shutdown_approved" }, { type: "shutdown_response", approve: true }],
  [
    { type: "shutdown_rejected", reason: "busy" },
    { type: "shutdown_response", approve: false, reason: "busy" },
  ],
  [
    { type: "plan_approval_response", plan: "1. …" },
    { type: "plan_approval_request", plan: "1. …" },
  ],
  [
    { type: "plan_approval_response", plan: "1. …", approve: true },
    { type: "plan_approval_response", plan: "1. …", approve: true },
  ],
])("%j is read as %j", (old, modern) => {
  expect(modernize(old)).toEqual(modern);
});
