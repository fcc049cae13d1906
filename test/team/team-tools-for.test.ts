import { expect, test } from "vitest";
import { lead, MemberName, newMessageId, user } from "../../src/protocol/ids.ts";
import type { Supervisor } from "../../src/team/supervisor.ts";
import { teamToolsFor } from "../../src/team/team-tools-for.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { CronAccess } from "../../src/tools/team/team-access.ts";
import { promised } from "../support/promised.ts";
import { ControlledStore } from "../support/protocols.ts";
import { openSupervisor } from "../support/supervisor.ts";
import { call } from "../tools/team/fixture.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];

test("the lead's tools spawn and stop, a teammate's answer", async () => {
  await using it = await openSupervisor();

  const namesFor = (self: MemberName) => toolsOf(it, self).map(({ spec }) => spec.name);
  expect(namesFor(lead)).toEqual(expect.arrayContaining(["spawn_teammate", "shutdown_request"]));
  expect(namesFor(alice)).not.toContain("spawn_teammate");
  expect(namesFor(alice)).toEqual(expect.arrayContaining(["shutdown_response", "plan_approval"]));
});

test("a member writes to others, not to itself, and hears of what keeps its mail from being read", async () => {
  const { promise: lasting } = promised();
  await using it = await openSupervisor({
    onRun: async (name) => {
      if (name === alice) throw new Error("a bug");
      if (name === bob) await lasting;
    },
  });
  for (const name of ["alice", "bob"]) await it.spawn(name);
  await it.until(() => it.supervisor.members.require(alice).state.failure !== undefined);
  const send = async (self: MemberName, to: string) =>
    (await call(toolsOf(it, self), "send_message", { to, content: "hi" })).text;

  expect(await send(lead, "Bob")).toBe("Sent message to bob");
  expect(await send(bob, "alice")).toMatch(/alice has failed and does not read it until the lead/);
  expect(await send(lead, "alice")).toBe("Sent message to alice");
  await expect(send(bob, "BOB")).rejects.toMatchObject({ code: "message-invalid" });
  expect(await it.store.unreadOf(bob)).toMatchObject([{ from: lead, to: bob, content: "hi" }]);
});

test("mail to a member that could not be opened waits, and it is shut down without being asked", async () => {
  await using store = new ControlledStore({ clock: new ManualClock() });
  {
    await using before = await openSupervisor({ store });
    await before.spawn("alice");
  }
  await using it = await openSupervisor({
    store,
    beforeOpen: async (name) => {
      if (name === alice) throw new Error("no room");
    },
  });
  const tools = toolsOf(it, lead);

  const sent = await call(tools, "send_message", { to: "alice", content: "hi" });
  expect(sent.text).toMatch(/alice does not run: its mail waits until it is spawned again/);
  await call(tools, "shutdown_request", { teammate: "alice" });

  expect(await it.statuses()).toEqual({ alice: "shutdown" });
  expect(await store.requests.list({ type: "shutdown" })).toEqual([]);
});

test("a member is asked to shut down, and by force is not asked", async () => {
  await using it = await openSupervisor();
  for (const name of ["alice", "bob"]) await it.spawn(name);
  const tools = toolsOf(it, lead);
  const shutDown = (teammate: string, force = false) =>
    call(tools, "shutdown_request", { teammate, force });
  await it.until(() => it.supervisor.isQuiet);

  await shutDown("alice");
  expect(await it.store.requests.list({ type: "shutdown" })).toMatchObject([
    { from: lead, to: alice, state: "pending" },
  ]);
  expect(await it.statuses()).toMatchObject({ alice: expect.not.stringMatching("shutdown") });
  await shutDown("bob", true);
  expect(await it.statuses()).toMatchObject({ bob: "shutdown" });

  const hint = "Teammates: alice.";
  await expect(shutDown("bob")).rejects.toMatchObject({ code: "member-ended", hint });
  await expect(shutDown("carol")).rejects.toMatchObject({ code: "member-unknown", hint });
  await shutDown("alice", true);
  await expect(shutDown("carol")).rejects.toMatchObject({ hint: "There are no teammates." });
});

test("a teammate's answer and plan reach the lead, who decides", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);

  await call(toolsOf(it, alice), "plan_approval", { plan: "1. …" });
  const [plan] = await it.store.requests.list({ type: "plan" });
  expect(plan).toMatchObject({ from: alice, to: lead, state: "pending" });
  await call(toolsOf(it, lead), "plan_approval", { request_id: plan?.id, approve: true });
  expect(await it.store.requests.list({ type: "plan" })).toMatchObject([{ state: "approved" }]);

  const { id } = await it.supervisor.protocols.shutdowns.ask(lead, alice);
  const answer = { request_id: id, approve: true };
  await call(toolsOf(it, alice), "shutdown_response", answer);
  await it.until(() => it.supervisor.members.require(alice).state.hasEnded);
  const { text } = await call(toolsOf(it, lead), "shutdown_response", { request_id: id });
  expect(text).toMatch(/approved/);
});

test("the lead waits for those it names, or for all, and other mail that wakes ends it early", async () => {
  const runs = new Map([lead, alice, bob].map((name) => [name, promised()]));
  const leadWorks = promised();
  await using it = await openSupervisor({
    onRun: async (name) => {
      if (name === lead) leadWorks.keep();
      await runs.get(name)?.promise;
    },
  });
  const wait = async (input: object) =>
    (await call(toolsOf(it, lead), "wait_for_teammates", input)).text;
  expect(await wait({})).toBe("No teammates to wait for.");
  for (const name of ["alice", "bob"]) await it.spawn(name);
  await it.store.leaveMail(lead, { type: "message", from: user, content: "Go." });
  await leadWorks.promise;

  const all = wait({});
  const named = wait({ names: ["Alice"] });
  runs.get(alice)?.keep();
  expect(await named).toMatch(/^alice has ended its run\./);
  runs.get(bob)?.keep();
  expect(await all).toMatch(/^alice, bob have ended their runs\./);
  await expect(wait({ names: ["carol"] })).rejects.toMatchObject({ code: "member-unknown" });

  runs.set(bob, promised());
  await it.store.send(bob, { type: "message", from: lead, content: "Again." });
  await it.store.leaveMail(lead, { type: "idle_notification", from: alice });
  await it.store.leaveMail(lead, { type: "message", from: user, content: "Hurry." });
  expect(await wait({ names: ["bob"] })).toMatch(/the person has written. Still working: bob\./);
});

test("the lead waits for a teammate that has not looked at its mail yet, once", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);
  const { looks } = it;
  const unheard = newMessageId(it.clock.now());
  it.store.newestUnread = async (name) => (name === alice ? unheard : undefined);

  const { text } = await call(toolsOf(it, lead), "wait_for_teammates", {});

  expect(text).toMatch(/^alice has ended its run\./);
  expect(it.looks).toBeGreaterThan(looks);
});

function toolsOf({ supervisor }: { supervisor: Supervisor }, self: MemberName) {
  const own = { takeMail: async () => [] };
  return teamToolsFor(self, {
    supervisor,
    timetable: noCrons,
    own,
    hasResults: false,
    hasRoles: false,
  });
}

const noCrons: CronAccess = {
  schedule: () => Promise.reject(new Error("not here")),
  list: async () => [],
  cancel: () => Promise.reject(new Error("not here")),
};
