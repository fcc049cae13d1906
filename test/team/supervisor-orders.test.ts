import { expect, test } from "vitest";
import type { LastRun } from "../../src/agent/runner.ts";
import { lead, MemberName, newMessageId, system, user } from "../../src/protocol/ids.ts";
import { Message } from "../../src/protocol/message.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { promised } from "../support/promised.ts";
import { ControlledStore } from "../support/protocols.ts";
import { openSupervisor } from "../support/supervisor.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];

test("the person's answer to a plan counts once, and only for the member whose plan it is", async () => {
  await using it = await openSupervisor({ planApprover: user });
  for (const name of ["alice", "bob"]) await it.spawn(name);
  const { plans } = it.supervisor.protocols;
  const { id: request_id } = await plans.submit(alice, "1. …");
  const answer = order(alice, { type: "plan_approval_response", request_id, approve: true });

  await it.contextOf(bob).carryOut([{ ...answer, to: bob }]);
  expect(it.warnings).toEqual([
    expect.stringContaining(`${request_id} is not a question of 'bob'`),
  ]);
  expect(plans.isPending(alice)).toBe(true);

  await it.contextOf(alice).carryOut([answer]);
  expect(await it.store.requests.get(request_id)).toMatchObject({
    ...{ state: "approved", decision: { by: user, cause: answer.id } },
  });
  expect(it.contextOf(alice).gate.closed()).toBeUndefined();
});

test("an answer to a plan that the process before has carried out is not carried out again", async () => {
  await using store = new ControlledStore({ clock: new ManualClock() });
  const answers: Message[] = [];
  {
    await using before = await openSupervisor({ store, planApprover: user });
    await before.spawn("alice");
    const { id } = await before.supervisor.protocols.plans.submit(alice, "1. …");
    const type = "plan_approval_response";
    answers.push(order(alice, { type, request_id: id, approve: false }));
    await before.contextOf(alice).carryOut(answers);
  }
  await using it = await openSupervisor({ store, planApprover: user });

  await it.contextOf(alice).carryOut(answers);
  expect(it.warnings).toEqual([]);
  expect(it.contextOf(alice).gate.closed()).toContain("rejected");

  const other = answers.map((answer) => ({ ...answer, id: newMessageId(new Date(1)) }));
  await it.contextOf(alice).carryOut(other);
  expect(it.warnings).toHaveLength(1);
});

test("orders by mail set the mode, add rules for everybody, and stop a member", async () => {
  await using it = await openSupervisor();
  for (const name of ["alice", "bob"]) await it.spawn(name);
  const carryOut = it.contextOf(alice).carryOut;
  const request_id = "019b78c9-0a80-7982-9914-3907359dc4e0";

  await carryOut([order(alice, { type: "mode_set_request", mode: "plan" })]);
  expect(it.supervisor.members.require(alice).state.mode).toBe("plan");
  await carryOut([
    order(alice, { type: "team_permission_update", rule: "bash", decision: "deny" }),
  ]);
  for (const { state } of it.supervisor.members.living) {
    expect(state.rules).toMatchObject([{ text: "bash", decision: "deny" }]);
  }
  await it.spawn("carol");
  expect(it.supervisor.members.require(MemberName.parse("carol")).state.rules).toHaveLength(1);

  await carryOut([order(alice, { type: "shutdown_request", request_id })]);
  await it.until(() => it.supervisor.members.require(alice).state.hasEnded);
  expect(it.supervisor.members.require(bob).state.hasEnded).toBe(false);
});

test("P13 no mail widens the lead's mode, or that of those who have it from the lead", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");
  const modes = () => [lead, alice].map((name) => it.supervisor.members.require(name).state.mode);
  const setTo = (mode: "acceptEdits" | "plan") =>
    it.contextOf(lead).carryOut([order(lead, { type: "mode_set_request", mode })]);

  await setTo("acceptEdits");
  expect(modes()).toEqual(["default", "default"]);
  expect(it.warnings).toEqual([expect.stringContaining("wider")]);
  await setTo("plan");
  expect(modes()).toEqual(["plan", "plan"]);
});

test("the person's answer to a question of a member is recorded", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");
  const { id: request_id } = await it.store.requests.open({
    ...{ type: "permission", from: alice, to: user },
    subject: { tool: "bash", input: { command: "make" }, reason: "…" },
  });

  const decision = "allow-once";
  await it
    .contextOf(alice)
    .carryOut([order(alice, { type: "permission_response", request_id, decision })]);

  expect(await it.store.requests.get(request_id)).toMatchObject({ state: "approved" });
});

test("mail to a member that has ended goes back to its sender, and not once the team is left", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);
  await it.supervisor.stop(alice);
  const draft = { type: "message", from: user, content: "late" } as const;

  const { id } = await it.store.leaveMail(alice, draft);
  await it.until(() => it.supervisor.protocols.removals.returned.length > 0);
  expect(it.supervisor.protocols.removals.returned).toEqual([id]);

  await it.supervisor.leave();
  await it.store.leaveMail(alice, { ...draft, content: "later" });
  expect(await it.store.unreadOf(alice)).toHaveLength(1);
  expect(it.supervisor.protocols.removals.returned).toEqual([id]);
});

test("mail that comes while a member is spawned again is for its successor", async () => {
  const opening = promised();
  let isHeld = false;
  const read: MemberName[] = [];
  await using it = await openSupervisor({
    beforeOpen: () => (isHeld ? opening.promise : Promise.resolve()),
    onRun: async (name) => void read.push(name),
  });
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);
  await it.supervisor.stop(alice);
  isHeld = true;

  const spawning = it.spawn("alice");
  await it.store.leaveMail(alice, { type: "message", from: user, content: "for the next" });
  opening.keep();
  await spawning;
  await it.until(() => it.supervisor.isQuiet);

  expect(it.supervisor.protocols.removals.returned).toEqual([]);
  expect(await it.store.unreadOf(alice)).toEqual([]);
});

test("a change of a member is an event, and its detail is in the roster while it holds", async () => {
  const [begun, running] = [promised(), promised()];
  await using it = await openSupervisor({
    onRun: async (name) => {
      if (name !== alice) return;
      begun.keep();
      await running.promise;
    },
  });
  await it.spawn("alice");
  await begun.promise;
  const { keeper } = it.supervisor.protocols;

  const { id } = await it.store.requests.open({
    ...{ type: "permission", from: alice, to: user },
    subject: { tool: "bash", input: { command: "make" }, reason: "…" },
  });
  await keeper.settled();
  expect((await keeper.read()).members).toMatchObject([
    { status: "working", detail: "waiting for approval" },
  ]);
  await it.store.requests.cancel(id, alice, "…");
  await keeper.settled();
  expect((await keeper.read()).members[0]).not.toHaveProperty("detail");
  running.keep();
  await it.until(() => it.supervisor.isQuiet);

  const ofAlice = (await it.store.eventsOf("member-change")).filter(
    (event) => "member" in event && event.member === alice,
  );
  expect(ofAlice).toEqual([
    { type: "member-change", member: alice, status: "working" },
    { type: "member-change", member: alice, status: "working" },
    { type: "member-change", member: alice, status: "working", detail: "waiting for approval" },
    { type: "member-change", member: alice, status: "working" },
    { type: "member-change", member: alice, status: "idle" },
  ]);
});

test("a roster that cannot be written is a warning", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);
  it.store.roster.update = async () => {
    throw new Error("disk full");
  };

  await it.store.send(alice, { type: "message", from: lead, content: "Go on." });
  await it.until(() => it.supervisor.isQuiet);
  await it.supervisor.protocols.keeper.settled();

  expect(it.warnings).toContain("The roster could not be written: Error: disk full");
});

test("a task's change is an event, with its owner; after the team is left nothing is", async () => {
  await using it = await openSupervisor({ autoclaim: true });
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);

  const { id } = await it.store.tasks.create({ subject: "one", created_by: lead });
  await it.until(() => it.supervisor.isQuiet && it.supervisor.members.runs > 1);
  const before = await it.store.eventsOf("task-change");
  expect(before.slice(0, 2)).toEqual([
    { type: "task-change", id, status: "pending" },
    { type: "task-change", id, status: "in_progress", member: alice },
  ]);

  await it.supervisor.leave();
  await it.store.tasks.create({ subject: "two", created_by: lead });
  expect(await it.store.eventsOf("task-change")).toEqual(before);
});

test("a line that is set aside is shown to observers", async () => {
  await using it = await openSupervisor();
  const events = it.supervisor.protocols.hub.observe()[Symbol.asyncIterator]();
  const id = newMessageId(it.clock.now());
  const next = events.next();

  const position = { generation: 1, offset: 0 };
  it.contextOf(lead).onSetAside({ id, reason: "no", text: "…", position });

  expect((await next).value).toMatchObject({
    ...{ type: "line-set-aside", member: lead, id, reason: "no" },
  });
});

test("a team that is left has ended its members, its observers and its timers", async () => {
  const spawned = promised();
  let isHeld = false;
  await using it = await openSupervisor({
    beforeOpen: () => (isHeld ? spawned.promise : Promise.resolve()),
  });
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);
  await it.supervisor.protocols.shutdowns.ask(lead, alice);
  await it.until(() => it.areAllIdle);
  const events = it.supervisor.protocols.hub.observe();
  isHeld = true;
  const spawning = it.spawn("bob");

  const leaving = it.supervisor.leave();
  await it.until(() => it.supervisor.isClosing);
  spawned.keep();
  await leaving;

  expect((await spawning).record.name).toBe(bob);
  expect(it.supervisor.members.all.map(({ state }) => state.hasEnded)).toEqual([true, true, true]);
  expect(it.clock.pending).toBe(0);
  let isSeen = false;
  for await (const { type } of events) isSeen ||= type === "member-change";
  expect(isSeen).toBe(true);
  expect(Object.keys(await it.statuses())).toEqual(["alice", "bob"]);
});

test("a run that was cut short goes on by itself, but not the lead's", async () => {
  await using store = new ControlledStore({ clock: new ManualClock() });
  {
    await using before = await openSupervisor({ store });
    await before.spawn("alice");
    await before.until(() => before.supervisor.isQuiet);
  }
  const runs: MemberName[] = [];
  const open = new Set([lead, alice]);
  await using it = await openSupervisor({
    store,
    lastRun: (name) => ({ isOpen: open.has(name) }),
    onRun: async (name) => {
      runs.push(name);
      open.delete(name);
    },
  });

  await it.until(() => it.supervisor.isQuiet);

  expect(runs).toEqual([alice]);
});

test("members that only talk with each other are muted, until one of them has other work", async () => {
  const runs = new Map<MemberName, Partial<LastRun>>();
  await using it = await openSupervisor({ lastRun: (name) => runs.get(name) ?? {} });
  for (const name of ["alice", "bob"]) await it.spawn(name);
  await it.until(() => it.supervisor.isQuiet);
  const say = async (from: MemberName, to: MemberName) => {
    const end = { outcome: "done", reason: undefined, reportId: undefined } as const;
    runs.set(to, { wakers: new Set([from]), unsettledEnd: end });
    const before = it.supervisor.members.require(to).state.runs;
    await it.store.send(to, { type: "message", from, content: "And you?" });
    await it.until(() => it.areAllIdle);
    runs.delete(to);
    return it.supervisor.members.require(to).state.runs - before;
  };

  let rounds = 0;
  while (rounds < 100 && (await say(bob, alice)) > 0) rounds++;
  expect(rounds).toBeGreaterThan(0);
  expect(rounds).toBeLessThan(100);
  expect(await it.store.unreadOf(alice)).toHaveLength(1);

  expect(await say(lead, alice)).toBeGreaterThan(0);
  await it.until(() => it.areAllIdle);
  expect(await it.store.unreadOf(alice)).toEqual([]);
});

test("a member that crashed is reported to the lead, and the team is quiet only afterwards", async () => {
  const reporting = promised();
  await using it = await openSupervisor({
    onRun: async (name) => {
      if (name === alice) throw new Error("a bug");
    },
  });
  await it.until(() => it.supervisor.isQuiet);
  it.store.beforeSend = (to) => (to === lead ? reporting.promise : Promise.resolve());
  await it.spawn("alice");
  await it.until(() => it.areAllIdle);

  expect(it.supervisor.isQuiet).toBe(false);
  reporting.keep();
  await it.until(() => it.supervisor.isQuiet);
  expect(it.warnings).toEqual(["'alice' has failed: a bug"]);
  expect(await it.store.eventsOf("message-sent")).toContainEqual(
    expect.objectContaining({ member: system, message_type: "teammate_terminated", to: lead }),
  );
});

function order(to: MemberName, fields: Record<string, unknown>): Message {
  return Message.parse({
    ...{ id: newMessageId(new Date(0)), from: user, to, timestamp: 0 },
    ...fields,
  });
}
