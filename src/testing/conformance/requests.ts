import { describe, expect, test as plainTest } from "vitest";
import { lead, MemberName, newRequestId, system, user } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { hashSubject } from "../../requests/request-rules.ts";
import type { RequestAnswer, RequestDraft, Requests } from "../../requests/requests.ts";
import type { ManualClock } from "../manual-clock.ts";
import { catchUncaughtErrors } from "../uncaught-errors.ts";
import { nextChange } from "./next-change.ts";
import { testWith } from "./test-with.ts";

/** An empty store of requests. `reopen` opens the same one as another process. */
export interface RequestsFixture extends AsyncDisposable {
  requests: Requests;
  clock: ManualClock;
  reopen(): Promise<Requests>;
}

const bob = MemberName.parse("bob");
const charlie = MemberName.parse("charlie");
const draft = {
  type: "plan",
  from: bob,
  to: lead,
  subject: { plan: "rewrite it" },
} satisfies RequestDraft;

/** The promises in requests.ts, one test each. */
export function testRequests(name: string, open: () => Promise<RequestsFixture>): void {
  describe(`${name} keeps the promises of requests`, () => {
    testQuestions(open);
    testAnswers(open);
  });
}

function testQuestions(open: () => Promise<RequestsFixture>): void {
  const test = testWith(open);
  test("an opened request is pending, with the hash of its subject", async ({ requests }) => {
    const request = await requests.open(draft);

    expect(request).toMatchObject({
      ...draft,
      hash: hashSubject(draft.subject),
      created_at: "2026-01-01T00:00:00.000Z",
      state: "pending",
      decision: null,
      version: 1,
    });
    expect(await requests.get(request.id)).toEqual(request);
  });

  test("the hash depends on the subject's content, not on the order of its keys", async ({
    requests,
  }) => {
    const hashes: string[] = [];
    for (const subject of [
      { tool: "bash", input: { command: "ls", cwd: undefined, flags: [{ a: 1, b: 2 }] } },
      { input: { flags: [{ b: 2, a: 1 }], command: "ls" }, tool: "bash" },
      { input: { flags: [{ b: 2, a: 1 }], command: "ls " }, tool: "bash" },
      {
        input: { flags: [{ b: 2, a: 1, ...JSON.parse('{"__proto__":1}') }], command: "ls" },
        tool: "bash",
      },
    ]) {
      const opened = await requests.open({ type: "permission", from: bob, to: user, subject });
      hashes.push(opened.hash);
    }

    expect(hashes[0]).toBe(hashes[1]);
    expect(new Set(hashes).size).toBe(3);
  });

  test("requests are listed oldest first, and by state", async ({ requests, clock }) => {
    const opened: TeamRequest[] = [];
    for (let count = 0; count < 3; count++) {
      opened.push(await requests.open(draft));
      clock.advance(1000);
    }
    expect(await requests.list()).toEqual(opened);
    const [first, ...others] = opened;
    const approved = await requests.decide(first?.id ?? newRequestId(clock.now()), yes);

    expect(await requests.list({ state: "pending" })).toEqual(others);
    expect(await requests.list({ state: "approved" })).toEqual([approved]);
    expect(await requests.list()).toEqual([approved, ...others]);
  });

  test("requests of one moment, and of one at which the clock was set back, are listed as they were opened", async ({
    requests,
    clock,
  }) => {
    const opened: TeamRequest[] = [];
    for (let number = 0; number < 20; number++) opened.push(await requests.open(draft));
    clock.jump(-3_600_000);
    opened.push(await requests.open(draft));

    expect(await requests.list()).toEqual(opened);
  });

  test("requests are listed by type and by asker, alone or together", async ({ requests }) => {
    const plan = await requests.open(draft);
    const permission = await requests.open({
      ...{ type: "permission", from: bob, to: user, subject: { tool: "bash", input: {} } },
    });
    const others = await requests.open({ ...draft, from: charlie });

    expect(await idsOf(requests.list({ type: "plan" }))).toEqual(idsIn(plan, others));
    expect(await idsOf(requests.list({ from: bob }))).toEqual(idsIn(plan, permission));
    expect(await idsOf(requests.list({ type: "plan", from: bob }))).toEqual(idsIn(plan));
    await requests.cancel(plan.id, bob);
    expect(await idsOf(requests.list({ type: "plan", state: "pending" }))).toEqual(idsIn(others));
    expect(await requests.list({ type: "shutdown" })).toEqual([]);
  });

  test("an unknown id is an error that names the open requests", async ({ requests, clock }) => {
    const missing = newRequestId(clock.now());
    await expect(requests.get(missing)).rejects.toMatchObject({ hint: "No request is open." });
    const { id } = await requests.open(draft);

    const unknown = { code: "request-unknown", hint: `Open requests: ${id}.` };
    await expect(requests.get(missing)).rejects.toMatchObject(unknown);
    await expect(requests.decide(missing, yes)).rejects.toMatchObject(unknown);
    await expect(requests.expire(missing)).rejects.toMatchObject(unknown);
    await expect(requests.cancel(missing, bob)).rejects.toMatchObject(unknown);
  });

  test("changing a returned request does not change the store", async ({ requests }) => {
    const request = await requests.open(draft);

    Object.assign(request.subject, { plan: "something else" });
    request.state = "approved";

    expect(await requests.get(request.id)).toMatchObject({
      subject: draft.subject,
      state: "pending",
    });
  });

  test("listeners are called after every change until they unsubscribe", async ({ requests }) => {
    const seen: TeamRequest[] = [];
    const stop = requests.onChange((request) => seen.push(request));

    const opened = await requests.open(draft);
    const approved = await requests.decide(opened.id, yes);
    stop();
    await requests.open(draft);

    expect(seen).toEqual([opened, approved]);
  });

  test("listeners are called after another process opens, decides or cancels a request", async (fixture) => {
    const { requests } = fixture;
    const other = await fixture.reopen();
    const changeTo = (state: TeamRequest["state"]) =>
      nextChange(requests, (request) => request.state === state);

    const asked = changeTo("pending");
    const { id } = await other.open(draft);
    expect(await asked).toEqual(await requests.get(id));
    const approved = changeTo("approved");
    const decided = await other.decide(id, yes);
    expect(await approved).toEqual(decided);
    const mine = await requests.open(draft);
    const cancelled = changeTo("cancelled");
    expect(await other.cancel(mine.id, bob)).toEqual(await cancelled);
  });

  test("a listener that throws breaks no change, and the others are called", async ({
    requests,
  }) => {
    using uncaught = catchUncaughtErrors();
    const seen: TeamRequest[] = [];
    requests.onChange(() => {
      throw new Error("a listener's bug");
    });
    requests.onChange((request) => seen.push(request));

    const opened = await requests.open(draft);

    expect(seen).toEqual([opened]);
    expect(await uncaught.settled()).toMatchObject([{ message: "a listener's bug" }]);
  });
}

function testAnswers(open: () => Promise<RequestsFixture>): void {
  const test = testWith(open);
  plainTest.each(["approved", "rejected"] as const)(
    "the addressee's answer is stored with its author, time and reason: %s",
    async (state) => {
      await using fixture = await open();
      const { requests, clock } = fixture;
      const { id, hash } = await requests.open(draft);
      clock.advance(5000);

      const decided = await requests.decide(id, { by: lead, state, hash, reason: "because" });

      expect(decided).toMatchObject({
        state,
        version: 2,
        decision: {
          request_id: id,
          hash,
          state,
          by: "lead",
          at: "2026-01-01T00:00:05.000Z",
          reason: "because",
        },
      });
      expect(await requests.get(id)).toEqual(decided);
    },
  );

  test("a rule in the answer is stored with it", async (fixture) => {
    const { requests } = fixture;
    const [once, always] = [await requests.open(draft), await requests.open(draft)];

    await requests.decide(once.id, yes);
    await requests.decide(always.id, { ...yes, rule: "bash(npm test:*)" });

    for (const reader of [requests, await fixture.reopen()]) {
      expect((await reader.get(always.id)).decision).toMatchObject({ rule: "bash(npm test:*)" });
      expect((await reader.get(once.id)).decision).not.toHaveProperty("rule");
    }
  });

  test("only the addressee answers, not the person or the runtime", async ({ requests }) => {
    const request = await requests.open(draft);

    for (const by of [bob, user, system]) {
      await expect(requests.decide(request.id, { ...yes, by })).rejects.toMatchObject({
        code: "request-refused",
        message: `Request ${request.id} cannot be approved by '${by}'`,
        hint: "That is for 'lead' alone.",
      });
    }
    expect(await requests.get(request.id)).toEqual(request);
  });

  test("an answer with another hash is refused", async ({ requests }) => {
    const request = await requests.open(draft);

    const hash = hashSubject({ plan: "another plan" });
    await expect(requests.decide(request.id, { ...yes, hash })).rejects.toMatchObject({
      code: "request-refused",
      message: expect.stringContaining("does not match what request"),
    });
    expect(await requests.get(request.id)).toEqual(request);
  });

  test("a request is decided once", async ({ requests }) => {
    const { id } = await requests.open(draft);
    const approved = await requests.decide(id, yes);

    const refusal = {
      code: "request-refused",
      message: `Request ${id} is already approved by 'lead'`,
    };
    await expect(requests.decide(id, { ...yes, state: "rejected" })).rejects.toMatchObject(refusal);
    await expect(requests.decide(id, yes)).rejects.toMatchObject(refusal);
    await expect(requests.expire(id)).rejects.toMatchObject(refusal);
    await expect(requests.cancel(id, bob)).rejects.toMatchObject(refusal);
    expect(await requests.get(id)).toEqual(approved);
  });

  test("only one of several simultaneous answers counts", async ({ requests }) => {
    const { id } = await requests.open(draft);

    const outcomes = await Promise.allSettled([
      requests.decide(id, yes),
      requests.decide(id, { ...yes, state: "rejected" }),
      requests.expire(id),
      requests.cancel(id, bob),
    ]);

    const won = outcomes.flatMap((it) => (it.status === "fulfilled" ? it.value : []));
    expect(won).toEqual([await requests.get(id)]);
  });

  test("only the runtime expires a request; only it or the asker cancels", async ({ requests }) => {
    const [first, second, third] = [
      await requests.open(draft),
      await requests.open(draft),
      await requests.open(draft),
    ];

    await expect(requests.cancel(first.id, lead)).rejects.toMatchObject({
      code: "request-refused",
      hint: "That is for 'bob' or 'system' alone.",
    });
    expect(await requests.cancel(first.id, bob, "changed my mind")).toMatchObject({
      state: "cancelled",
      decision: { by: "bob", reason: "changed my mind" },
    });
    expect(await requests.cancel(second.id, system)).toMatchObject({ state: "cancelled" });
    expect(await requests.expire(third.id, "nobody is there")).toMatchObject({
      state: "expired",
      decision: { by: "system", reason: "nobody is there" },
    });
  });

  test("open and decided requests are still there after the store is reopened", async (fixture) => {
    const { requests } = fixture;
    const pending = await requests.open(draft);
    const { id } = await requests.open({ ...draft, subject: { plan: "another" } });
    const hash = hashSubject({ plan: "another" });
    const rejected = await requests.decide(id, { by: lead, state: "rejected", hash });

    const other = await fixture.reopen();

    expect(await other.get(pending.id)).toEqual(pending);
    expect(await other.get(id)).toEqual(rejected);
    await expect(other.decide(id, { ...yes, hash })).rejects.toThrow("already rejected");
    expect(await other.decide(pending.id, yes)).toMatchObject({ state: "approved" });
  });
}

const yes: RequestAnswer = { by: lead, state: "approved", hash: hashSubject(draft.subject) };

/** Requests with the same time have no order. */
async function idsOf(listed: Promise<TeamRequest[]>): Promise<string[]> {
  return idsIn(...(await listed));
}

function idsIn(...requests: TeamRequest[]): string[] {
  return requests.map(({ id }) => id).sort();
}
