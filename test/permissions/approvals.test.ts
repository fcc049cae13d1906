import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { leave } from "../../src/lib/leaving.ts";
import { type Question, RequestApprovals } from "../../src/permissions/approvals.ts";
import { MemberName, system, user } from "../../src/protocol/ids.ts";
import type { TeamRequest } from "../../src/protocol/request.ts";
import { hashSubject } from "../../src/requests/request-rules.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";

const question: Question = {
  member: MemberName.parse("alice"),
  callId: "call-1",
  tool: "bash",
  input: { command: "npm publish" },
  reason: "it is not judged harmless",
  suggestedRule: "bash(npm publish)",
  summary: undefined,
  mayBeOpen: true,
};
const never = new AbortController().signal;

test("a question is recorded before it is answered, with a hash of exactly what would run", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const approvals = new RequestApprovals(store.requests);

  const answer = approvals.ask(question, never);
  const request = await pending(store);

  expect(request).toMatchObject({ type: "permission", from: "alice", to: "user" });
  expect(request.subject).toMatchObject({ tool: "bash", input: { command: "npm publish" } });
  expect(request.hash).toBe(hashSubject(request.subject));
  await store.requests.decide(request.id, { by: user, state: "approved", hash: request.hash });
  expect(await answer).toEqual({ type: "allowed" });
});

test.each([
  ["bash(npm publish)", { rule: "bash(npm publish)" }],
  [undefined, {}],
])("with the suggested rule %j, the person is asked about exactly the call", async (rule, more) => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const { callId, tool, input, reason } = question;
  const stop = new AbortController();

  const answer = new RequestApprovals(store.requests).ask(
    { ...question, suggestedRule: rule },
    stop.signal,
  );
  const { subject } = await pending(store);
  stop.abort();
  await answer;

  expect(subject).toEqual({ call_id: callId, tool, input, reason, ...more });
});

test("a denial comes back with the person's reason", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const answer = new RequestApprovals(store.requests).ask(question, never);
  const { id, hash } = await pending(store);

  await store.requests.decide(id, { by: user, state: "rejected", hash, reason: "not on Friday" });

  expect(await answer).toEqual({ type: "denied", reason: "not on Friday" });
});

test("P08 an open question is the same one after a restart", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const leaving = new AbortController();
  const first = new RequestApprovals(store.requests).ask(question, leaving.signal);
  const { id, hash } = await pending(store);

  leave(leaving);

  expect(await first).toEqual({ type: "stopped" });
  const second = new RequestApprovals(store.requests).ask(question, never);
  await store.requests.decide(id, { by: user, state: "approved", hash });
  expect(await second).toEqual({ type: "allowed" });
  expect(await store.requests.list()).toHaveLength(1);
});

test("P08 a denial that came between two processes is not asked for again", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const leaving = new AbortController();
  const first = new RequestApprovals(store.requests).ask(question, leaving.signal);
  const { id, hash } = await pending(store);
  leave(leaving);
  await first;

  await store.requests.decide(id, { by: user, state: "rejected", hash, reason: "no" });

  const second = new RequestApprovals(store.requests).ask(question, never);
  expect(await second).toEqual({ type: "denied", reason: "no" });
  expect(await store.requests.list()).toHaveLength(1);
});

test("P13 the approval of one call allows no other", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const approvals = new RequestApprovals(store.requests);
  const first = approvals.ask(question, never);
  const { id, hash } = await pending(store);
  await store.requests.decide(id, { by: user, state: "approved", hash });
  expect(await first).toEqual({ type: "allowed" });

  for (const other of [
    { input: { command: "npm publish --force" } },
    { callId: "call-2" },
    { tool: "background_run" },
    { member: MemberName.parse("bob") },
  ]) {
    const leaving = new AbortController();
    const answer = approvals.ask({ ...question, ...other }, leaving.signal);
    const { id } = await pending(store);
    leave(leaving);
    expect(await answer).toEqual({ type: "stopped" });
    await store.requests.cancel(id, system);
  }
  expect(await store.requests.list()).toHaveLength(5);
});

test("nothing is left of an answered question: no listener, no timer", async () => {
  const clock = new ManualClock();
  await using store = new MemoryTeamStore({ clock });
  const person = new AbortController();
  const approvals = new RequestApprovals(store.requests, { clock, timeoutMs: 60_000 });
  const answer = approvals.ask(question, person.signal);
  const { id, hash } = await pending(store);
  await clock.waiting();

  await store.requests.decide(id, { by: user, state: "approved", hash });
  await answer;

  expect(getEventListeners(person.signal, "abort")).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("the question of an interrupted call is cancelled", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const person = new AbortController();
  const answer = new RequestApprovals(store.requests).ask(question, person.signal);
  const { id } = await pending(store);

  person.abort();

  expect(await answer).toEqual({ type: "stopped" });
  expect(await store.requests.get(id)).toMatchObject({ state: "cancelled" });
});

test("if nobody can be asked, the answer is an immediate denial, which is recorded", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const approvals = new RequestApprovals(store.requests, {
    clock: systemClock,
    unattended: () => "nobody is there",
  });

  expect(await approvals.ask(question, never)).toEqual({
    type: "denied",
    reason: "nobody is there",
  });
  expect(await store.requests.list()).toMatchObject([{ state: "expired" }]);
});

test("P11 a question without an answer in time expires, and its asker continues with a denial", async () => {
  const clock = new ManualClock();
  await using store = new MemoryTeamStore({ clock });
  const answer = new RequestApprovals(store.requests, { clock, timeoutMs: 60_000 }).ask(
    question,
    never,
  );
  const { id } = await pending(store);
  await clock.waiting();

  clock.advance(59_999);
  expect(await store.requests.get(id)).toMatchObject({ state: "pending" });
  clock.advance(1);

  expect(await answer).toEqual({ type: "denied", reason: "nobody answered within 60 s" });
  expect(await store.requests.get(id)).toMatchObject({ state: "expired" });
});

test("a question from before a restart has its full time again", async () => {
  const clock = new ManualClock();
  await using store = new MemoryTeamStore({ clock });
  const approvals = () => new RequestApprovals(store.requests, { clock, timeoutMs: 60_000 });
  const leaving = new AbortController();
  const first = approvals().ask(question, leaving.signal);
  const { id } = await pending(store);
  await clock.waiting();
  clock.advance(50_000);
  leave(leaving);
  expect(await first).toEqual({ type: "stopped" });
  clock.advance(50_000);
  // While nobody waits for it, no time counts.
  expect(await store.requests.get(id)).toMatchObject({ state: "pending" });

  const second = approvals().ask(question, never);
  await clock.waiting();
  clock.advance(59_999);
  expect(await store.requests.get(id)).toMatchObject({ state: "pending" });
  clock.advance(1);

  expect(await second).toEqual({ type: "denied", reason: "nobody answered within 60 s" });
  expect(await store.requests.list()).toMatchObject([{ id, state: "expired" }]);
});

test("an answer at the last moment counts, and stops the timeout", async () => {
  const clock = new ManualClock();
  await using store = new MemoryTeamStore({ clock });
  const approvals = new RequestApprovals(store.requests, { clock, timeoutMs: 60_000 });
  const answer = approvals.ask(question, never);
  const { id, hash } = await pending(store);
  await clock.waiting();

  const decided = store.requests.decide(id, { by: user, state: "approved", hash });
  clock.advance(60_000);
  await decided;

  expect(await answer).toEqual({ type: "allowed" });
  expect(await store.requests.get(id)).toMatchObject({ state: "approved" });
});

test("without a timeout a question waits forever", async () => {
  const clock = new ManualClock();
  await using store = new MemoryTeamStore({ clock });
  const answer = new RequestApprovals(store.requests, { clock }).ask(question, never);
  const { id, hash } = await pending(store);

  clock.advance(7 * 24 * 60 * 60 * 1000);
  await store.requests.decide(id, { by: user, state: "approved", hash });

  expect(await answer).toEqual({ type: "allowed" });
});

/** The newest question that waits for an answer, as soon as there is one. */
async function pending(store: MemoryTeamStore): Promise<TeamRequest> {
  const look = async () => (await store.requests.list({ state: "pending" })).at(-1);
  const known = new Set((await store.requests.list()).map(({ id }) => id));
  return new Promise((resolve) => {
    const stop = store.requests.onChange((request) => {
      if (request.state !== "pending" || known.has(request.id)) return;
      stop();
      resolve(request);
    });
    look().then((request) => request && resolve(request), resolve);
  });
}

test("a simultaneous answer and interruption break nothing", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const person = new AbortController();
  const answer = new RequestApprovals(store.requests).ask(question, person.signal);
  const { id, hash } = await pending(store);

  person.abort();
  const decision = store.requests.decide(id, { by: user, state: "approved", hash });

  expect(["stopped", "allowed"]).toContain((await answer).type);
  await decision.catch((error: unknown) =>
    expect(error).toMatchObject({ code: "request-refused" }),
  );
});

test("P13 an approved question is asked again for another call", async () => {
  await using store = new MemoryTeamStore({ clock: systemClock });
  const approvals = new RequestApprovals(store.requests);
  const first = approvals.ask({ ...question, mayBeOpen: false }, never);
  const { id, hash } = await pending(store);
  await store.requests.decide(id, { by: user, state: "approved", hash });
  expect(await first).toEqual({ type: "allowed" });

  const leaving = new AbortController();
  const second = approvals.ask({ ...question, mayBeOpen: false }, leaving.signal);
  await pending(store);
  leave(leaving);

  expect(await second).toEqual({ type: "stopped" });
});
