import { expect, test } from "vitest";
import { hmacSignature } from "../../../src/keys/signature.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { lead, MemberName, newRequestId, type RequestId, user } from "../../../src/protocol/ids.ts";
import { type MessageDraft, maxContentBytes } from "../../../src/protocol/message.ts";
import type { TeamRequest } from "../../../src/protocol/request.ts";
import type { TaskLease } from "../../../src/protocol/task.ts";
import type { MemberRecord } from "../../../src/protocol/team.ts";
import { StoredRequests } from "../../../src/requests/stored-requests.ts";
import { Plans } from "../../../src/team/protocols/plans.ts";
import { exampleTeam } from "../../../src/testing/conformance/roster.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { member } from "../../support/team.ts";

const bob = MemberName.parse("bob");
const hourMs = 3_600_000;

test.each([-hourMs, hourMs])(
  "P12 an approval ends with a task that is taken after it, with a clock %d ms off",
  async (skewMs) => {
    const team = await openTeam();
    const id = await team.approvePlan();
    const lease = team.claim(skewMs);

    expect(await team.gateAfterRestart(id, lease)).toMatch(/you need an approved plan/);
  },
);

test.each([-hourMs, hourMs])(
  "P12 an approval applies to a task that was taken before it, with a clock %d ms off",
  async (skewMs) => {
    const team = await openTeam();
    const lease = team.claim(skewMs);
    const id = await team.approvePlan();

    expect(await team.gateAfterRestart(id, lease)).toBeUndefined();
  },
);

test("an older lease without a plan is judged by its time", async () => {
  const team = await openTeam();
  const id = await team.approvePlan();
  const { ended_plan: _, ...before } = team.claim(-hourMs);
  const { ended_plan: __, ...after } = team.claim(hourMs);

  expect(await team.gateAfterRestart(id, before)).toBeUndefined();
  expect(await team.gateAfterRestart(id, after)).toMatch(/you need an approved plan/);
});

test("the last submitted plan counts after a kill, even if the clock was set back before", async () => {
  const team = await openTeam();
  const { id } = await team.plans.submit(bob, "1. …");
  team.setClockBack(hourMs);
  await team.killBeforeCancel(() => team.plans.submit(bob, "2. …"));

  await team.gateAfterRestart(id);

  const open = await team.requests.list({ state: "pending" });
  expect(open.map(({ subject }) => subject)).toEqual([{ plan: "2. …" }]);
  expect(team.planInRoster).toBe(open[0]?.id);
});

test("P12 the gate tells a member what its plan waits for", async () => {
  const team = await openTeam();
  const gate = team.plans.gateOf(bob);
  expect(gate.closed()).toMatch(/you need an approved plan first/);

  const { id } = await team.plans.submit(bob, "1. …");
  expect(gate.closed()).toMatch(/your plan waits for approval/);
  await team.plans.decide(lead, id, { approve: false, feedback: "no" });
  expect(gate.closed()).toMatch(/your plan was rejected/);
  const second = await team.plans.submit(bob, "2. …");
  await team.plans.decide(lead, second.id, { approve: true });
  expect(gate.closed()).toBeUndefined();
});

test("a member that needs no plan may change anything until it hands one in", async () => {
  const team = await openTeam();
  await team.plans.begin(bob, false);
  const gate = team.plans.gateOf(bob);
  expect(gate.closed()).toBeUndefined();

  const { id } = await team.plans.submit(bob, "1. …");
  expect(gate.closed()).toMatch(/your plan waits for approval/);
  await team.plans.decide(lead, id, { approve: true });
  await team.plans.onTaskTaken(bob);

  expect(gate.closed()).toBeUndefined();
  expect(team.plans.approvedPlanOf(bob)).toBeUndefined();
});

test("an approved plan ends with the next task, and the roster does not name it any more", async () => {
  const team = await openTeam();
  const id = await team.approvePlan();
  expect(team.planInRoster).toBe(id);
  expect(team.plans.approvedPlanOf(bob)).toBe(id);

  await team.plans.onTaskTaken(bob);

  expect(team.planInRoster).toBeUndefined();
  expect(team.plans.gateOf(bob).closed()).toMatch(/you need an approved plan/);
});

test("a task that is taken while a plan is undecided leaves the plan as it is", async () => {
  const team = await openTeam();
  const { id } = await team.plans.submit(bob, "1. …");

  await team.plans.onTaskTaken(bob);

  expect(team.planInRoster).toBe(id);
  expect(team.plans.isPending(bob)).toBe(true);
});

test("the lead is asked about a plan once, and its answer is sent to the member", async () => {
  const team = await openTeam();
  const { id } = await team.plans.submit(bob, "1. …");
  expect(team.plans.isPending(bob)).toBe(true);
  expect(await team.plans.decide(lead, id, { approve: false, feedback: "too long" })).toBe(bob);
  expect(team.plans.isPending(bob)).toBe(false);

  const ask = { type: "plan_approval_request", from: bob, request_id: id, plan: "1. …" };
  const answer = { type: "plan_approval_response", from: lead, request_id: id, approve: false };
  const sent = [
    [lead, expect.objectContaining(ask)],
    [bob, expect.objectContaining({ ...answer, feedback: "too long" })],
  ];
  expect(team.sent).toEqual(sent);
  await team.gateAfterRestart(id);
  // The same message again, by its id: the mailbox has it once.
  expect(team.sent).toEqual([...sent, team.sent[1]]);
});

test("after a restart the lead is asked again about the plan that is undecided", async () => {
  const team = await openTeam();
  const { id } = await team.plans.submit(bob, "1. …");

  expect(await team.gateAfterRestart(id)).toMatch(/your plan waits for approval/);

  expect(team.sent).toEqual([team.sent[0], team.sent[0]]);
});

test("the person is not written to about a plan, but it is known that one is undecided", async () => {
  const team = await openTeam(user);
  expect(team.plans.isAnyForPerson).toBe(false);
  const { id } = await team.plans.submit(bob, "1. …");
  expect(team.plans.isAnyForPerson).toBe(true);
  await team.plans.decide(user, id, { approve: true });

  expect(team.plans.isAnyForPerson).toBe(false);
  expect(team.sent).toEqual([]);
});

test("plans that the lead decides are not the person's", async () => {
  const team = await openTeam();
  await team.plans.submit(bob, "1. …");

  expect(team.plans.isAnyForPerson).toBe(false);
});

test.each([
  ["a newer one", (plans: Plans) => plans.submit(bob, "2. …")],
  ["the end of its member", (plans: Plans) => plans.end(bob)],
  ["a new spawn", (plans: Plans) => plans.begin(bob, true)],
])("an undecided plan is cancelled by %s, a decided one stays as it is", async (_, act) => {
  const team = await openTeam();
  const approved = await team.approvePlan();
  await act(team.plans);
  const { id } = await team.plans.submit(bob, "1. …");
  await act(team.plans);

  expect(await team.requests.get(approved)).toMatchObject({ state: "approved" });
  expect(await team.requests.get(id)).toMatchObject({ state: "cancelled", decision: { by: bob } });
  await expect(team.plans.decide(lead, id, { approve: true })).rejects.toMatchObject({
    code: "request-refused",
  });
});

test("a plan is decided by its id; an unknown id is an error that lists the undecided plans", async () => {
  const team = await openTeam();
  const decide = (id: string) => team.plans.decide(lead, id, { approve: true });
  const other = await team.requests.open({
    ...{ type: "shutdown", from: lead, to: bob },
    subject: { teammate: bob },
  });
  await expect(decide(other.id)).rejects.toMatchObject({
    code: "request-unknown",
    hint: "No plan is undecided.",
  });
  const { id } = await team.plans.submit(bob, "1. …");

  await expect(decide("nonsense")).rejects.toMatchObject({
    code: "request-unknown",
    hint: `Undecided plans: ${id} of 'bob'.`,
  });
});

test("a plan that is too long for a message is refused, and the one before still counts", async () => {
  const team = await openTeam();
  const id = await team.approvePlan();

  await expect(team.plans.submit(bob, "x".repeat(maxContentBytes + 1))).rejects.toMatchObject({
    code: "content-too-large",
  });

  expect(team.plans.approvedPlanOf(bob)).toBe(id);
});

test("a cancelled plan that the roster still names does not count after a restart", async () => {
  const team = await openTeam();
  await team.plans.begin(bob, false);
  const { id } = await team.plans.submit(bob, "1. …");
  await team.plans.end(bob);

  team.needNoPlan();
  expect(await team.gateAfterRestart(id)).toBeUndefined();
});

test("a plan that another process decides opens the gate here", async () => {
  const team = await openTeam();
  const { id, hash } = await team.plans.submit(bob, "1. …");

  await team.requests.decide(id, { by: lead, state: "approved", hash });

  expect(team.plans.gateOf(bob).closed()).toBeUndefined();
});

test("an expired plan that the roster still names does not count after a restart", async () => {
  const team = await openTeam();
  const { id } = await team.plans.submit(bob, "1. …");
  await team.requests.expire(id, "nobody answered");

  expect(await team.gateAfterRestart(id)).toMatch(/you need an approved plan/);
  expect(team.sent).toHaveLength(1);
});

test("the answer of the person is not sent by the runtime, after a restart neither", async () => {
  const team = await openTeam(user);
  const { id } = await team.plans.submit(bob, "1. …");
  await team.plans.decide(user, id, { approve: true });

  expect(await team.gateAfterRestart(id)).toBeUndefined();
  expect(team.sent).toEqual([]);
});

test("a member is told what it may do now", async () => {
  const team = await openTeam();
  await team.approvePlan();
  const { id } = await team.plans.submit(bob, "2. …");
  await team.plans.decide(lead, id, { approve: false });

  const answers = team.sent.flatMap(([to, { content }]) => (to === bob ? [content] : []));
  expect(answers).toEqual([
    expect.stringMatching(/^Your plan is approved/),
    expect.stringMatching(/^Your plan is rejected/),
  ]);
});

test("a member that was never started needs no plan, before and after it hands one in", async () => {
  const team = await openTeam();
  const carol = MemberName.parse("carol");
  expect(team.plans.gateOf(carol).closed()).toBeUndefined();
  expect(team.plans.approvedPlanOf(carol)).toBeUndefined();

  const { id } = await team.plans.submit(carol, "1. …");
  await team.plans.decide(lead, id, { approve: true });
  await team.plans.onTaskTaken(carol);

  expect(team.plans.gateOf(carol).closed()).toBeUndefined();
});

test("nothing is known of a member that has ended", async () => {
  const team = await openTeam();
  await team.plans.end(bob);

  expect(team.plans.gateOf(bob).closed()).toBeUndefined();
});

test("a decision that comes before the plan is handed in completely counts", async () => {
  const team = await openTeam();
  team.afterOpen = async ({ id, hash }) => {
    await team.requests.decide(id, { by: lead, state: "approved", hash });
  };

  const { id } = await team.plans.submit(bob, "1. …");

  expect(team.plans.approvedPlanOf(bob)).toBe(id);
});

test("an older record of a plan that comes late changes nothing, nor does one of another plan", async () => {
  const team = await openTeam();
  const pending = await team.plans.submit(bob, "1. …");
  await team.plans.decide(lead, pending.id, { approve: true });

  team.show(pending);
  expect(team.plans.approvedPlanOf(bob)).toBe(pending.id);
  team.show({ ...pending, id: newRequestId(new Date(0)), version: 9, state: "rejected" });
  expect(team.plans.gateOf(bob).closed()).toBeUndefined();
});

test("an older lease of the very moment of an approval has ended it", async () => {
  const team = await openTeam();
  const id = await team.approvePlan();
  const { ended_plan: _, ...lease } = team.claim(0);

  expect(await team.gateAfterRestart(id, lease)).toMatch(/you need an approved plan/);
});

test("P39 going back makes plans since then void, open and approved ones; earlier ones count on", async () => {
  const team = await openTeam();
  const carol = MemberName.parse("carol");
  await team.plans.begin(carol, true);
  const before = await team.plans.submit(carol, "0. …");
  await team.plans.decide(lead, before.id, { approve: true });
  team.clock.advance(1_000);
  const moment = team.clock.now();
  const id = await team.approvePlan();

  await team.plans.forgetSince(moment);

  expect(team.plans.approvedPlanOf(carol)).toBe(before.id);
  expect(team.plans.approvedPlanOf(bob)).toBeUndefined();
  expect(team.plans.gateOf(bob).closed()).toMatch(/you need an approved plan/);
  expect(team.planInRoster).toBeUndefined();
  expect(await team.requests.get(id)).toMatchObject({ state: "approved" });
  const open = await team.plans.submit(bob, "2. …");
  await team.plans.forgetSince(moment);
  expect(await team.requests.get(open.id)).toMatchObject({
    ...{ state: "cancelled" },
    decision: { reason: "the person went back to an earlier prompt" },
  });
  expect(team.plans.isPending(bob)).toBe(false);
});

/** A team in which bob needs a plan for everything. */
async function openTeam(approver: MemberName = lead) {
  const clock = new ManualClock();
  let setBackMs = 0;
  const jumping: Clock = {
    now: () => new Date(clock.now().getTime() - setBackMs),
    monotonicMs: () => clock.monotonicMs(),
    schedule: (delayMs, run) => clock.schedule(delayMs, run),
  };
  const signature = hmacSignature(new Uint8Array(32));
  const requests = new StoredRequests({ signature, clock: jumping });
  let isKilled = false;
  let record: MemberRecord = { ...member("bob"), plan_required: true };
  const sent: [string, MessageDraft][] = [];
  const listeners = new Set<(request: TeamRequest) => void>();
  const it = { afterOpen: async (_: TeamRequest): Promise<void> => undefined };
  const openPlans = () =>
    new Plans({
      requests: {
        open: async (draft) => {
          const request = await requests.open(draft);
          await it.afterOpen(request);
          return request;
        },
        get: (id) => requests.get(id),
        list: (filter) => requests.list(filter),
        decide: (id, answer) => requests.decide(id, answer),
        expire: (id, reason) => requests.expire(id, reason),
        cancel: async (...given) => {
          if (isKilled) throw new Error("killed");
          return requests.cancel(...given);
        },
        onChange: (listener) => {
          listeners.add(listener);
          return requests.onChange(listener);
        },
      },
      approver,
      keeper: {
        change: async (_, edit) => {
          record = edit(record);
          return exampleTeam();
        },
      },
      post: { send: async (...given) => void sent.push(given) },
    });
  const plans = openPlans();
  await plans.begin(bob, true);
  return {
    clock,
    requests,
    plans,
    sent,
    get planInRoster() {
      return record.plan_request;
    },
    /** Called with each request before its opening returns. */
    set afterOpen(work: (request: TeamRequest) => Promise<void>) {
      it.afterOpen = work;
    },
    /** As when another process has written a request. */
    show(request: TeamRequest): void {
      for (const listener of listeners) listener(request);
    },
    async approvePlan(): Promise<RequestId> {
      const { id } = await plans.submit(bob, "1. …");
      await plans.decide(lead, id, { approve: true });
      return id;
    },
    /** What bob's claim of a task leaves, by a clock that is so much off. */
    claim(skewMs: number): TaskLease {
      const since = new Date(clock.now().getTime() + skewMs).toISOString();
      return { holder: bob, since, ended_plan: plans.approvedPlanOf(bob) ?? null };
    },
    needNoPlan() {
      record = { ...record, plan_required: false };
    },
    setClockBack(ms: number) {
      setBackMs = ms;
    },
    async killBeforeCancel(work: () => Promise<unknown>) {
      isKilled = true;
      await expect(work()).rejects.toThrow("killed");
      isKilled = false;
    },
    /** Why bob may change nothing after the next start, at which he holds these tasks. */
    async gateAfterRestart(plan: RequestId, ...leases: TaskLease[]) {
      const restored = openPlans();
      record = { ...record, plan_request: plan };
      await restored.restore(record, leases);
      return restored.gateOf(bob).closed();
    },
  };
}
