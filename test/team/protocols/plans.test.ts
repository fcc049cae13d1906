import { expect, test } from "vitest";
import { hmacSignature } from "../../../src/keys/signature.ts";
import type { Clock } from "../../../src/lib/clock.ts";
import { lead, MemberName, type RequestId } from "../../../src/protocol/ids.ts";
import type { TaskLease } from "../../../src/protocol/task.ts";
import { StoredRequests } from "../../../src/requests/stored-requests.ts";
import { Plans } from "../../../src/team/protocols/plans.ts";
import { exampleTeam } from "../../../src/testing/conformance/roster.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { member } from "../../support/team.ts";

const bob = MemberName.parse("bob");
const hourMs = 3_600_000;

test.each([-hourMs, hourMs])(
  "P12 an approval ends with the task that was taken after it, by a clock %d ms off",
  async (skewMs) => {
    const team = await openTeam();
    const id = await team.approvePlan();
    const lease = team.claim(skewMs);

    expect(await team.gateAfterRestart(id, lease)).toMatch(/you need an approved plan/);
  },
);

test.each([-hourMs, hourMs])(
  "P12 an approval holds for the task that was taken before it, by a clock %d ms off",
  async (skewMs) => {
    const team = await openTeam();
    const lease = team.claim(skewMs);
    const id = await team.approvePlan();

    expect(await team.gateAfterRestart(id, lease)).toBeUndefined();
  },
);

test("a lease of an older version, which names no plan, is judged by its time", async () => {
  const team = await openTeam();
  const id = await team.approvePlan();
  const { ended_plan: _, ...before } = team.claim(-hourMs);
  const { ended_plan: __, ...after } = team.claim(hourMs);

  expect(await team.gateAfterRestart(id, before)).toBeUndefined();
  expect(await team.gateAfterRestart(id, after)).toMatch(/you need an approved plan/);
});

test("the plan that was handed in last counts after a kill, though the clock went back before", async () => {
  const team = await openTeam();
  const { id } = await team.plans.submit(bob, "1. …");
  team.setClockBack(hourMs);
  await team.killBeforeCancel(() => team.plans.submit(bob, "2. …"));

  await team.gateAfterRestart(id);

  const open = await team.requests.list({ state: "pending" });
  expect(open.map(({ subject }) => subject)).toEqual([{ plan: "2. …" }]);
});

/** A team in which bob needs a plan for everything. */
async function openTeam() {
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
  const openPlans = () =>
    new Plans({
      requests: {
        open: (draft) => requests.open(draft),
        get: (id) => requests.get(id),
        list: (filter) => requests.list(filter),
        decide: (id, answer) => requests.decide(id, answer),
        expire: (id, reason) => requests.expire(id, reason),
        cancel: async (...given) => {
          if (isKilled) throw new Error("killed");
          return requests.cancel(...given);
        },
        onChange: (listener) => requests.onChange(listener),
      },
      approver: lead,
      keeper: { change: async () => exampleTeam() },
      post: { send: async () => undefined },
    });
  const plans = openPlans();
  await plans.begin(bob, true);
  return {
    requests,
    plans,
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
      const record = { ...member("bob"), plan_required: true, plan_request: plan };
      await restored.restore(record, leases);
      return restored.gateOf(bob).closed();
    },
  };
}
