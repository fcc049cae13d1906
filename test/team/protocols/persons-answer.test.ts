import { expect, test } from "vitest";
import { hmacSignature } from "../../../src/keys/signature.ts";
import { lead, MemberName, newRequestId, user } from "../../../src/protocol/ids.ts";
import { StoredRequests } from "../../../src/requests/stored-requests.ts";
import { answerMessage, findQuestion } from "../../../src/team/protocols/persons-answer.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";

const alice = MemberName.parse("alice");
const call = {
  type: "permission",
  from: alice,
  to: user,
  subject: { tool: "bash", input: {} },
} as const;
const plan = { type: "plan", from: alice, to: user, subject: { plan: "1. …" } } as const;

function openRequests(): StoredRequests {
  const signature = hmacSignature(new Uint8Array(32));
  return new StoredRequests({ signature, clock: new ManualClock() });
}

test("the person's open question is found, and every other request is refused with the reason", async () => {
  const requests = openRequests();
  const open = await requests.open(call);
  const leads = await requests.open({ ...plan, to: lead });
  const cancelled = await requests.open(call);
  await requests.cancel(cancelled.id, alice);

  expect(await findQuestion(requests, open.id)).toEqual(open);
  await expect(findQuestion(requests, leads.id)).rejects.toMatchObject({
    ...{ code: "request-refused", message: `Request ${leads.id} is for 'lead' to decide` },
  });
  await expect(findQuestion(requests, cancelled.id)).rejects.toMatchObject({
    ...{ code: "request-refused", message: `Request ${cancelled.id} is already cancelled` },
  });
  for (const unknown of ["nonsense", newRequestId(new Date(0))]) {
    await expect(findQuestion(requests, unknown)).rejects.toMatchObject({
      code: "request-unknown",
    });
  }
});

test("an answer about a call is a permission response, with what the person was shown", async () => {
  const { hash, ...asked } = await openRequests().open(call);
  const answer = { type: "permission_response", from: user, request_id: asked.id };

  expect(answerMessage({ ...asked, hash }, { decision: "allow-once" })).toEqual({
    ...{ ...answer, decision: "allow-once", hash },
  });
  expect(
    answerMessage({ ...asked, hash }, { decision: "deny", reason: "no", hash: "another" }),
  ).toEqual({ ...answer, decision: "deny", reason: "no", hash: "another" });
});

test.each([
  ["allow-once", true],
  ["allow-always", true],
  ["deny", false],
] as const)("the answer %s about a plan approves it: %s", async (decision, approve) => {
  const asked = await openRequests().open(plan);
  const { id: request_id, hash } = asked;
  const answer = { type: "plan_approval_response", from: user, request_id, approve, hash };

  expect(answerMessage(asked, { decision })).toEqual(answer);
  expect(answerMessage(asked, { decision, reason: "why" })).toEqual({ ...answer, feedback: "why" });
});
