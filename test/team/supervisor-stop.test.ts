import { expect, test } from "vitest";
import { lead, MemberName, newMessageId, user } from "../../src/protocol/ids.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { promised } from "../support/promised.ts";
import { ControlledStore } from "../support/protocols.ts";
import { openSupervisor } from "../support/supervisor.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];
const alive = expect.not.stringMatching("shutdown");

test("a stop of the lead ends a member that is being spawned, and one that fails to be does not matter", async () => {
  const opening = promised();
  await using it = await openSupervisor({
    beforeOpen: async (name) => {
      if (name === lead) return;
      await opening.promise;
      if (name === bob) throw new Error("no room");
    },
  });
  const spawning = Promise.allSettled([it.spawn("alice"), it.spawn("bob")]);
  const stopping = it.supervisor.stop(lead);
  expect(it.supervisor.isQuiet).toBe(false);

  opening.keep();
  await stopping;

  expect((await spawning).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  expect(await it.statuses()).toEqual({ alice: "shutdown" });
});

test.each([
  ["ends the lead's run", false],
  ["from before this process lets the lead's run go on", true],
])("a stop of the lead %s", async (_, isFromBefore) => {
  const signals: AbortSignal[] = [];
  const [begun, running] = [promised(), promised()];
  await using it = await openSupervisor({
    onRun: async (name, signal) => {
      if (name !== lead) return;
      signals.push(signal);
      begun.keep();
      await running.promise;
    },
  });
  await it.store.send(lead, { type: "message", from: user, content: "Go." });
  await begun.promise;

  await it.supervisor.stop(lead, { id: newMessageId(it.clock.now()), isFromBefore });

  expect(signals.map(({ aborted }) => aborted)).toEqual([!isFromBefore]);
  expect(it.supervisor.members.lead.state.isInterrupted).toBe(!isFromBefore);
  running.keep();
});

test("a stop from before a restart ends those who were there, and nobody who was spawned since", async () => {
  await using store = new ControlledStore({ clock: new ManualClock() });
  {
    await using before = await openSupervisor({ store });
    for (const name of ["alice", "bob"]) await before.spawn(name);
  }
  await using it = await openSupervisor({ store });
  await it.until(() => it.supervisor.isQuiet);
  for (const name of ["bob", "carol"]) await it.spawn(name);
  const order = { id: newMessageId(it.clock.now()), isFromBefore: true };

  await it.supervisor.stop(lead, order);

  expect(await it.statuses()).toEqual({ alice: "shutdown", bob: alive, carol: alive });
});

test("an order to stop that was carried out is not carried out by the next process", async () => {
  await using store = new ControlledStore({ clock: new ManualClock() });
  const order = { id: newMessageId(new Date(0)), isFromBefore: false };
  {
    await using before = await openSupervisor({ store });
    await before.supervisor.stop(lead, order);
  }
  await using it = await openSupervisor({ store });
  await it.spawn("alice");

  await it.supervisor.stop(lead, order);

  expect(await it.statuses()).toEqual({ alice: alive });
  await it.supervisor.stop(lead, { ...order, id: newMessageId(new Date(1)) });
  expect(await it.statuses()).toEqual({ alice: "shutdown" });
});

test("a stop of the lead ends a member that could not be opened, and none twice", async () => {
  await using store = new ControlledStore({ clock: new ManualClock() });
  {
    await using before = await openSupervisor({ store });
    for (const name of ["alice", "bob"]) await before.spawn(name);
    await before.supervisor.stop(bob);
  }
  await using it = await openSupervisor({
    store,
    beforeOpen: async (name) => {
      if (name === alice) throw new Error("no room");
    },
  });
  expect(await it.statuses()).toEqual({ alice: "failed", bob: "shutdown" });
  expect(it.warnings).toEqual(["'alice' cannot continue: no room"]);

  await it.supervisor.stop(lead);

  expect(await it.statuses()).toEqual({ alice: "shutdown", bob: "shutdown" });
  await expect(it.supervisor.stop(alice)).rejects.toMatchObject({ code: "member-ended" });
});

test("a team is not quiet while a removal is under way", async () => {
  await using it = await openSupervisor();
  await it.spawn("alice");
  await it.until(() => it.supervisor.isQuiet);
  const [reached, returning] = [promised(), promised()];
  it.store.beforeOpen = (name) => {
    if (name === alice) reached.keep();
    return name === alice ? returning.promise : Promise.resolve();
  };

  const stopping = it.supervisor.stop(alice);
  await reached.promise;
  await it.until(() => it.areAllIdle);

  expect(it.supervisor.isQuiet).toBe(false);
  returning.keep();
  await stopping;
  await it.until(() => it.supervisor.isQuiet);
  expect(await it.statuses()).toEqual({ alice: "shutdown" });
});
