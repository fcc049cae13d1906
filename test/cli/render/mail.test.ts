import { expect, test } from "vitest";
import { mailLine } from "../../../src/cli/render/mail.ts";
import { lead, newMessageId, newRequestId, TeammateName, user } from "../../../src/protocol/ids.ts";
import type { Message } from "../../../src/protocol/message.ts";

const now = new Date(0);
const alice = TeammateName.parse("alice");
const fields = { id: newMessageId(now), to: lead, timestamp: 0, content: "" };
const request_id = newRequestId(now);
const rule = { decision: "allow" as const, rule: "bash(make:*)" };
const input = { command: "make all" };

const silent: [string, Message][] = [
  [
    "alice → lead [permission_request]: bash make all",
    { ...fields, type: "permission_request", from: alice, request_id, tool: "bash", input },
  ],
  [
    "user → lead [team_permission_update]: allow bash(make:*)",
    { ...fields, type: "team_permission_update", from: user, ...rule },
  ],
  [
    "user → lead [team_permission_update]: remove allow bash(make:*)",
    { ...fields, type: "team_permission_update", from: user, ...rule, removed: true },
  ],
  [
    "user → lead [mode_set_request]: plan",
    { ...fields, type: "mode_set_request", from: user, mode: "plan" },
  ],
];

test.each(silent)(
  "a message without a text of its own says what it is about: %s",
  (line, message) => {
    expect(mailLine({ cursor: "1", state: "delivered", message }, lead)).toContain(line);
  },
);

test.each([
  ["done", 20, false],
  ["failed", 20, true],
  ["done", 200, true],
] as const)(
  "of a result, outcome %s and %i letters, %s: more can be opened",
  (outcome, letters, isMore) => {
    const content = "x".repeat(letters);
    const message: Message = { ...fields, content, type: "result", from: alice, outcome };

    const line = mailLine({ cursor: "1", state: "delivered", message }, lead);

    expect(line.includes("(troupe show ")).toBe(isMore);
  },
);
