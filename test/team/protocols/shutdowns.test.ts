import { expect, test } from "vitest";
import { Secrets } from "../../../src/lib/secrets.ts";
import { lead, type MemberName, parseTeammateName } from "../../../src/protocol/ids.ts";
import { RosterKeeper } from "../../../src/team/members/roster-keeper.ts";
import { MemoryTeamStore } from "../../../src/team/memory-team-store.ts";
import { Post } from "../../../src/team/post.ts";
import { Shutdowns } from "../../../src/team/protocols/shutdowns.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { member } from "../../support/team.ts";

const alice = parseTeammateName("alice");

test("P07 shutdown requests to an earlier member of the same name are void, even at the same time by the clock", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const agreed = await it.shutdowns.ask(lead, alice);
  await it.shutdowns.answer(alice, agreed.id, { approve: true });
  const pending = await it.shutdowns.ask(lead, alice);
  it.ended.length = 0;
  await it.enlist("second");

  await it.restart();

  expect(it.ended).toEqual([]);
  expect(await it.stateOf(pending.id)).toBe("expired");
  expect(it.shutdowns.isAnyOpen).toBe(false);
});

test("control: a request to the same member is resumed", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const pending = await it.shutdowns.ask(lead, alice);

  await it.restart();
  expect(it.shutdowns.isAnyOpen).toBe(true);
  expect(await it.stateOf(pending.id)).toBe("pending");

  await it.shutdowns.answer(alice, pending.id, { approve: true });
  it.ended.length = 0;
  await it.restart();
  expect(it.ended).toEqual(["alice: it agreed to shut down"]);
});

test("no member is ended by the grace time of its predecessor", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  await it.shutdowns.ask(lead, alice);

  await it.shutdowns.settle(alice);
  await it.enlist("second");
  it.clock.advance(10_000);

  expect(it.ended).toEqual([]);
});

test("P07 a member that does not answer in time is ended, one that answers is not", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const refused = await it.shutdowns.ask(lead, alice);
  await it.shutdowns.answer(alice, refused.id, { approve: false, reason: "not done" });
  expect(it.shutdowns.isAnyOpen).toBe(false);
  it.clock.advance(5_000);
  expect(it.ended).toEqual([]);

  await it.shutdowns.ask(lead, alice);
  it.clock.advance(4_999);
  expect(it.ended).toEqual([]);
  it.clock.advance(1);

  expect(it.ended).toEqual(["alice: it did not answer within 5 s"]);
  expect(it.shutdowns.isAnyOpen).toBe(false);
});

test("P07 a refusal that another process has written ends the time for an answer, too", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const { id, hash } = await it.shutdowns.ask(lead, alice);

  await it.requests.decide(id, { by: alice, state: "rejected", hash });
  it.clock.advance(5_000);

  expect(it.ended).toEqual([]);
});

test("the answer to a plan does not end the time for the answer to a shutdown", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  await it.shutdowns.ask(lead, alice);
  const subject = { plan: "1. …" };
  const plan = await it.requests.open({ type: "plan", from: lead, to: alice, subject });

  await it.requests.decide(plan.id, { by: alice, state: "rejected", hash: plan.hash });

  expect(it.shutdowns.isAnyOpen).toBe(true);
});

test("a member that was already asked is not asked twice, and each answer is reported to the lead", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const first = await it.shutdowns.ask(lead, alice);
  expect(await it.shutdowns.ask(lead, alice)).toEqual(first);
  await it.shutdowns.answer(alice, first.id, { approve: false });
  const second = await it.shutdowns.ask(lead, alice);
  await it.shutdowns.answer(alice, second.id, { approve: true });

  const asked = { type: "shutdown_request", from: lead };
  expect(await it.mailOf(alice)).toMatchObject([
    { ...asked, request_id: first.id },
    { ...asked, request_id: second.id },
  ]);
  const answered = { type: "shutdown_response", from: alice };
  expect(await it.mailOf(lead)).toMatchObject([
    { ...answered, request_id: first.id, approve: false, reason: "no reason given" },
    { ...answered, request_id: second.id, approve: true },
  ]);
  expect((await it.mailOf(lead))[1]).toMatchObject({ reason: undefined });
  expect(it.ended).toEqual(["alice: it agreed to shut down"]);
});

test("only the member that was asked answers, and an error lists what is open for it", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const { id } = await it.shutdowns.ask(lead, alice);
  const plan = await it.requests.open({
    type: "plan",
    from: alice,
    to: lead,
    subject: { plan: "1." },
  });
  const answer = (by: MemberName, request: string) =>
    it.shutdowns.answer(by, request, { approve: true });

  await expect(answer(lead, id)).rejects.toMatchObject({
    ...{ code: "request-unknown", hint: "Nobody asks you to shut down." },
  });
  for (const other of [plan.id, "nonsense"]) {
    await expect(answer(alice, other)).rejects.toMatchObject({
      ...{ code: "request-unknown", hint: `Open for you: ${id}.` },
    });
  }
  expect(await it.shutdowns.find(id)).toMatchObject({ id, state: "pending" });
  expect(it.ended).toEqual([]);
});

test("after a restart a refusal is reported to the lead by the same message, and other members are unchanged", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const { id } = await it.shutdowns.ask(lead, alice);
  await it.shutdowns.answer(alice, id, { approve: false, reason: "not done" });
  const [told] = await it.mailOf(lead);

  await it.restart();

  expect(await it.mailOf(lead)).toEqual([told]);
  expect(it.ended).toEqual([]);
  await it.shutdowns.settle(lead);
  expect(await it.stateOf(id)).toBe("rejected");
});

test("a member that has ended has no open shutdown request, and others keep theirs", async () => {
  await using it = await openShutdowns();
  await it.enlist("first");
  const { id } = await it.shutdowns.ask(lead, alice);

  await it.shutdowns.settle(parseTeammateName("bob"));
  expect(await it.stateOf(id)).toBe("pending");
  expect(it.shutdowns.isAnyOpen).toBe(true);
  await it.shutdowns.settle(alice);

  expect(await it.stateOf(id)).toBe("expired");
  expect(it.shutdowns.isAnyOpen).toBe(false);
});

/** The shutdowns of a team in which alice is, and in which nobody is really ended. */
async function openShutdowns() {
  const clock = new ManualClock();
  const store = new MemoryTeamStore({ clock });
  const keeper = new RosterKeeper(store.roster, store.signature);
  const ended: string[] = [];
  const open = () =>
    new Shutdowns({
      ...{ requests: store.requests, keeper, clock, graceMs: 5_000 },
      post: new Post({ store, secrets: new Secrets([]), clock }),
      end: async (name, reason) => void ended.push(`${name}: ${reason}`),
      onWarning: (message) => {
        throw new Error(message);
      },
    });
  return {
    clock,
    ended,
    requests: store.requests,
    shutdowns: open(),
    async mailOf(name: MemberName) {
      const { reader } = await store.openMember(name, { onSetAside: () => undefined });
      return (await reader.unread()).map(({ message }) => message);
    },
    enlist: (incarnation: string) => keeper.upsert({ ...member("alice"), incarnation }),
    async restart() {
      this.shutdowns[Symbol.dispose]();
      this.shutdowns = open();
      await this.shutdowns.restore((await keeper.read()).members);
    },
    stateOf: async (id: Parameters<typeof store.requests.get>[0]) =>
      (await store.requests.get(id)).state,
    async [Symbol.asyncDispose]() {
      this.shutdowns[Symbol.dispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
