import { expect, test } from "vitest";
import { lead, MemberName, newMessageId, user } from "../../src/protocol/ids.ts";
import { ControlledStore } from "../support/protocols.ts";
import { openSupervisor } from "../support/supervisor.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];

test.each([
  ["the person, who is there", user, true, false],
  ["the person, who is not there", user, false, true],
  ["the lead", lead, true, true],
] as const)(
  "a team with a plan for %s is quiet or not",
  async (_, planApprover, waits, isQuiet) => {
    await using it = await openSupervisor({ planApprover, waitsForPerson: waits });
    await it.spawn("alice");
    await it.supervisor.protocols.plans.submit(alice, "1. …");

    await it.until(() => it.areAllIdle);

    expect(it.supervisor.isQuiet).toBe(isQuiet);
  },
);

test("a team is not quiet while a member has time to answer a shutdown request", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);

  await it.supervisor.protocols.shutdowns.ask(lead, alice);
  await it.until(() => it.areAllIdle);

  expect(it.supervisor.isQuiet).toBe(false);
});

test("the person's stop of a teammate ends it alone, one of the lead ends everybody else", async () => {
  await using it = await openSupervisor();
  for (const name of ["alice", "bob", "carol"]) await it.spawn(name);

  await it.supervisor.stop(alice);
  expect(await it.statuses()).toMatchObject({
    alice: "shutdown",
    bob: expect.not.stringMatching("shutdown"),
  });
  await it.supervisor.stop(lead);

  expect(await it.statuses()).toEqual({ alice: "shutdown", bob: "shutdown", carol: "shutdown" });
  expect(it.supervisor.members.living.map(({ name }) => name)).toEqual([lead]);
  await expect(it.supervisor.stop(alice)).resolves.toBeUndefined();
});

test("an order to stop everybody is carried out once", async () => {
  await using it = await openSupervisor();
  const order = { id: newMessageId(it.clock.now()), isFromBefore: false };
  await it.spawn("alice");
  await it.supervisor.stop(lead, order);
  await it.spawn("bob");

  await it.supervisor.stop(lead, order);

  expect(await it.statuses()).toMatchObject({
    alice: "shutdown",
    bob: expect.not.stringMatching("shutdown"),
  });
});

test("an order to stop from before this process spares the members that were spawned since", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");

  await it.supervisor.stop(lead, { id: newMessageId(it.clock.now()), isFromBefore: true });

  expect(await it.statuses()).toMatchObject({ alice: expect.not.stringMatching("shutdown") });
});

test("a member's status is in the roster, and the lead's is not", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);
  await it.supervisor.protocols.keeper.settled();

  expect(await it.statuses()).toEqual({ alice: "idle" });
});

test("a member may be in no wider mode than the lead, the lead in every mode", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");

  expect(it.contextOf(alice).widestMode()).toBe("default");
  expect(it.contextOf(lead).widestMode()).toBe("bypassPermissions");
  await it.supervisor.setMode(alice, "plan");
  expect(it.supervisor.members.require(alice).state.mode).toBe("plan");
  expect(() => it.supervisor.setMode(bob, "plan")).toThrow(/'bob' does not run/);
  await expect(it.supervisor.setMode(alice, "acceptEdits")).rejects.toThrow(/wider/);
});

test("a line that is set aside is reported to the person", async () => {
  await using it = await openSupervisor();
  const id = newMessageId(it.clock.now());

  const position = { generation: 1, offset: 0 };
  it.contextOf(lead).onSetAside({ id, reason: "not mail", text: "…", position });

  expect(it.warnings).toEqual(["A line in the mailbox of 'lead' was set aside: not mail"]);
});

test("every 10 s all members look for mail again, until the team is left", async () => {
  await using it = await openSupervisor();
  await it.until(() => it.supervisor.isQuiet);
  const before = it.looks;

  it.clock.advance(9_999);
  expect(it.supervisor.isQuiet).toBe(true);
  it.clock.advance(1);
  expect(it.supervisor.isQuiet).toBe(false);
  await it.until(() => it.supervisor.isQuiet);
  expect(it.looks).toBeGreaterThan(before);
  it.clock.advance(10_000);
  expect(it.supervisor.isQuiet).toBe(false);

  await it.supervisor.leave();
  expect(it.clock.pending).toBe(0);
});

test("a team that is left takes in nothing more, and spawns nobody", async () => {
  await using it = await openSupervisor();
  expect(it.contextOf(lead).isLeaving()).toBe(false);

  await it.supervisor.leave();

  expect(it.supervisor.isClosing).toBe(true);
  expect(it.contextOf(lead).isLeaving()).toBe(true);
  await expect(it.spawn("alice")).rejects.toMatchObject({ code: "team-closed" });
});

test.each([
  ["continues to wait for an answer of the person", true, 1],
  ["does not continue a run by itself in which it asks nothing", false, 0],
])("after a restart the lead %s", async (_, asks, runs) => {
  await using store = new ControlledStore();
  if (asks) {
    const subject = { tool: "bash", input: {} };
    await store.requests.open({ type: "permission", from: lead, to: user, subject });
  }
  const begun: MemberName[] = [];

  await using it = await openSupervisor({
    ...{ store, waitsForPerson: true },
    lastRun: () => ({ isOpen: begun.length === 0 }),
    onRun: async (name) => void begun.push(name),
  });
  await it.until(() => it.areAllIdle && it.looks > 0);

  expect(begun).toHaveLength(runs);
});
