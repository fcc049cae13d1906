import { expect, test } from "vitest";
import {
  lead,
  MemberName,
  newMessageId,
  outside,
  system,
  user,
} from "../../../src/protocol/ids.ts";
import { Message } from "../../../src/protocol/message.ts";
import { countSentBefore, isWorthwhile } from "../../../src/team/members/wake-policy.ts";

const alice = MemberName.parse("alice");
const bob = MemberName.parse("bob");
const request_id = "019b78c9-0a80-7982-9914-3907359dc4e0";

function policy({ isBusy = false, isMuted = false } = {}) {
  const options = { guard: { isMuted: () => isMuted }, isAnyTeammateBusy: () => isBusy };
  return {
    isWorthwhile: (unread: readonly Message[], member: Parameters<typeof isWorthwhile>[1]) =>
      isWorthwhile(unread, member, options),
  };
}

function mail(draft: Record<string, unknown>): Message {
  const now = new Date();
  return Message.parse({ id: newMessageId(now), to: lead, timestamp: 1, from: bob, ...draft });
}

const ready = (name: MemberName) => ({
  name,
  state: { failure: undefined, isInterrupted: false },
});

test.each<[string, Record<string, unknown>, boolean]>([
  ["a message", { type: "message" }, true],
  ["a broadcast", { type: "broadcast" }, true],
  ["a result", { type: "result", outcome: "done" }, true],
  ["a failure", { type: "result", outcome: "failed" }, true],
  ["a run that the person interrupted", { type: "result", outcome: "interrupted" }, false],
  ["an idle notice", { type: "idle_notification" }, false],
  ["a task", { type: "task_assignment", task_id: "1" }, true],
  ["a plan", { type: "plan_approval_request", request_id, plan: "" }, true],
  ["the answer to a plan", { type: "plan_approval_response", request_id, approve: true }, true],
  ["the person's stop of everybody", { type: "shutdown_request", request_id }, false],
  ["a refusal to", { type: "shutdown_response", request_id, approve: false }, true],
  ["the consent to", { type: "shutdown_response", request_id, approve: true }, false],
  [
    "a question to the person",
    { type: "permission_request", request_id, tool: "bash", input: {} },
    false,
  ],
  ["the person's answer", { type: "permission_response", request_id, decision: "deny" }, false],
  ["a rule", { type: "team_permission_update", rule: "bash", decision: "allow" }, false],
  ["a mode", { type: "mode_set_request", mode: "plan" }, false],
  [
    "an end that was asked for",
    { type: "teammate_terminated", from: system, expected: true },
    false,
  ],
  ["an unexpected end", { type: "teammate_terminated", from: system, expected: false }, true],
])("%s wakes an idle lead: %s", (_, draft, expected) => {
  expect(policy().isWorthwhile([mail(draft)], ready(lead))).toBe(expected);
});

test("P06 the results of talk among teammates wake the lead once no teammate works", () => {
  const talk = mail({ type: "result", outcome: "done", woken_by_peers: true });

  expect(policy({ isBusy: true }).isWorthwhile([talk], ready(lead))).toBe(false);
  expect(policy({ isBusy: false }).isWorthwhile([talk], ready(lead))).toBe(true);
});

test("muted mail does not wake a teammate", () => {
  const message = mail({ type: "message", to: alice });

  expect(policy({ isMuted: true }).isWorthwhile([message], ready(alice))).toBe(false);
  expect(policy().isWorthwhile([message], ready(alice))).toBe(true);
});

test.each([
  [user, true],
  [lead, true],
  [bob, false],
  [system, false],
  [outside, false],
])("a failed or interrupted teammate continues for %s: %s", (from, expected) => {
  const failed = {
    name: alice,
    state: { failure: "its provider is gone", isInterrupted: false },
  };
  const interrupted = { name: alice, state: { failure: undefined, isInterrupted: true } };

  expect(policy().isWorthwhile([mail({ type: "message", from, to: alice })], failed)).toBe(
    expected,
  );
  expect(policy().isWorthwhile([mail({ type: "message", from, to: alice })], interrupted)).toBe(
    expected,
  );
});

test("P25 mail that wakes nobody is taken before the mailbox is full", () => {
  const notice = mail({ type: "idle_notification" });

  expect(policy().isWorthwhile(Array(1_999).fill(notice), ready(lead))).toBe(false);
  expect(policy().isWorthwhile(Array(2_000).fill(notice), ready(lead))).toBe(true);
});

test("P25 mail that is long together is taken, too, before later mail is not seen", () => {
  const notices = (last: number) =>
    [200_000, 200_000, 200_000, 200_000, last].map((length) =>
      mail({ type: "idle_notification", content: "x".repeat(length) }),
    );

  expect(policy().isWorthwhile(notices(199_999), ready(lead))).toBe(false);
  expect(policy().isWorthwhile(notices(200_000), ready(lead))).toBe(true);
});

test("a lead that has failed does not wake itself, and what wakes nobody restarts nobody", () => {
  const failed = (name: MemberName) => ({ name, state: { failure: "x", isInterrupted: false } });
  const rule = { type: "team_permission_update", from: user, rule: "bash", decision: "allow" };

  expect(policy().isWorthwhile([mail({ type: "message", from: lead })], failed(lead))).toBe(false);
  expect(policy().isWorthwhile([mail({ type: "message", from: user })], failed(lead))).toBe(true);
  expect(policy().isWorthwhile([mail(rule)], failed(alice))).toBe(false);
});

test("mail from before a moment ends where the person, or somebody outside, wrote from then on", () => {
  const sent = (from: MemberName, timestamp: number) => mail({ type: "message", from, timestamp });
  const moment = new Date(10_000);

  expect(countSentBefore(moment, [])).toBe(0);
  expect(countSentBefore(moment, [sent(user, 9), sent(bob, 11), sent(lead, 12)])).toBe(3);
  expect(countSentBefore(moment, [sent(bob, 1), sent(user, 10), sent(user, 9)])).toBe(1);
  expect(countSentBefore(moment, [sent(outside, 10), sent(bob, 1)])).toBe(0);
  expect(countSentBefore(moment, [sent(user, 9.999), sent(outside, 11)])).toBe(1);
});
