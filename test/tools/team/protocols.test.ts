import { expect, test } from "vitest";
import { bob, call, leadsTools, request, requestId, teammatesTools, textOf } from "./fixture.ts";

test("a shutdown is requested, and the answer has the id of the request", async () => {
  const asked: unknown[] = [];
  const tools = leadsTools({
    leadership: {
      async requestShutdown(teammate, options) {
        asked.push([teammate, options]);
        return request();
      },
    },
  });

  expect(await textOf(tools, "shutdown_request", { teammate: "alice" })).toBe(
    `Shutdown request ${requestId} sent to 'alice' (status: pending)`,
  );
  expect(asked).toEqual([["alice", { force: false }]]);
});

test("with force nobody is asked", async () => {
  const tools = leadsTools({
    leadership: { requestShutdown: async (_, { force }) => (force ? undefined : request()) },
  });

  expect(await textOf(tools, "shutdown_request", { teammate: "Alice", force: true })).toBe(
    "'alice' was shut down",
  );
});

test('"false" and "true" are not accepted as booleans for force', async () => {
  const { isError } = await call(leadsTools(), "shutdown_request", {
    teammate: "alice",
    force: "false",
  });

  expect(isError).toBe(true);
});

test("the lead sees the result of a shutdown, without the signatures", async () => {
  const at = new Date(0).toISOString();
  const decided = request({
    state: "rejected",
    decision: {
      request_id: requestId,
      hash: "0".repeat(64),
      state: "rejected",
      by: bob,
      at,
      reason: "not done yet",
      sig: "signature of the answer",
    },
  });
  const tools = leadsTools({ leadership: { findShutdown: async () => decided } });

  const { text, isError } = await call(tools, "shutdown_response", { request_id: requestId });

  expect(isError).toBe(false);
  expect(JSON.parse(text)).toMatchObject({
    id: requestId,
    to: "alice",
    state: "rejected",
    decision: { by: "bob", reason: "not done yet" },
  });
  expect(text).not.toContain("signature");
});

test("an unknown shutdown request is reported as not found", async () => {
  expect(await call(leadsTools(), "shutdown_response", { request_id: "nonsense" })).toEqual({
    text: '{"error":"not found"}',
    isError: false,
  });
});

test.each([
  [true, undefined, "Shutdown approved"],
  [false, "not done yet", "Shutdown rejected"],
])("a teammate answers a shutdown with approve %j", async (approve, reason, said) => {
  const answers: unknown[] = [];
  const tools = teammatesTools({
    following: {
      async answerShutdown(id, answer) {
        answers.push([id, answer]);
      },
    },
  });

  const input = { request_id: requestId, approve, reason };
  expect(await textOf(tools, "shutdown_response", input)).toBe(said);
  expect(answers).toEqual([[requestId, { approve, reason }]]);
});

test.each([
  [true, "Plan approved for 'bob'"],
  [false, "Plan rejected for 'bob'"],
])("the lead decides a plan with approve %j", async (approve, said) => {
  const decisions: unknown[] = [];
  const tools = leadsTools({
    leadership: {
      async decidePlan(id, answer) {
        decisions.push([id, answer]);
        return bob;
      },
    },
  });

  const input = { request_id: requestId, approve, feedback: "Test first." };
  expect(await textOf(tools, "plan_approval", input)).toBe(said);
  expect(decisions).toEqual([[requestId, { approve, feedback: "Test first." }]]);
});

test("a submitted plan waits for the lead", async () => {
  expect(await textOf(teammatesTools(), "plan_approval", { plan: "1. Look" })).toBe(
    `Plan submitted (request_id=${requestId}). Waiting for lead approval.`,
  );
});

test("an answer that is not a boolean decides nothing", async () => {
  const decide = () => Promise.reject(new Error("it was decided"));
  const ofLead = leadsTools({ leadership: { decidePlan: decide } });
  const ofTeammate = teammatesTools({ following: { answerShutdown: decide } });
  const input = { request_id: requestId, approve: "false" };

  expect(await call(ofLead, "plan_approval", input)).toMatchObject({ isError: true });
  expect(await call(ofTeammate, "shutdown_response", input)).toMatchObject({ isError: true });
  await expect(call(ofLead, "plan_approval", { ...input, approve: false })).rejects.toThrow();
});

test("an empty plan is refused", async () => {
  const { text } = await call(teammatesTools(), "plan_approval", { plan: "" });

  expect(text).toContain("plan: must not be empty");
});
