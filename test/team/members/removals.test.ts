import { expect, test } from "vitest";
import { TeamError } from "../../../src/errors.ts";
import {
  lead,
  MemberName,
  outside,
  parseTeammateName,
  system,
  user,
} from "../../../src/protocol/ids.ts";
import { promised } from "../../support/promised.ts";
import { openTestProtocols } from "../../support/protocols.ts";
import { member } from "../../support/team.ts";

const [alice, bob] = ["alice", "bob"].map(parseTeammateName) as [MemberName, MemberName];
const removal = { reason: "it is done", expected: true };
const spawned_at = "2026-01-01T00:00:00.000Z";

test("a member that ends is stopped before it is shut down in the roster, with its reason as an event", async () => {
  const it = await openRemovals();
  const statusAtStop: unknown[] = [];

  await it.removals.end(alice, removal, async () => {
    statusAtStop.push((await it.recordOf(alice))?.status);
  });

  expect(statusAtStop).toEqual(["working"]);
  const { status, ...record } = (await it.recordOf(alice)) ?? {};
  expect(status).toBe("shutdown");
  expect(record).not.toHaveProperty("detail");
  expect(record).not.toHaveProperty("ending");
  expect(await it.store.eventsOf("member-change")).toEqual([
    { type: "member-change", member: alice, status: "shutdown", detail: "it is done" },
  ]);
});

test.each([true, false])("the lead is told of an end that was expected: %s", async (expected) => {
  const it = await openRemovals();

  await it.end(alice, { reason: "it is done", expected });

  expect(await it.store.unreadOf(lead)).toMatchObject([
    {
      ...{ type: "teammate_terminated", from: system, teammate: alice, expected },
      ...{ reason: "it is done", content: "alice is shut down: it is done." },
    },
  ]);
});

test("a member that ends loses its tasks and its open questions, and others keep theirs", async () => {
  const it = await openRemovals();
  const { tasks, requests } = it.store;
  const claims = [alice, bob].map(async (by) => {
    const { id } = await tasks.create({ subject: `for ${by}`, created_by: lead });
    await tasks.claim(id, { by });
    await it.protocols.plans.begin(by, true);
    await it.protocols.plans.submit(by, "1. …");
    await it.protocols.shutdowns.ask(lead, by);
    const subject = { tool: "bash", input: {} };
    await requests.open({ type: "permission", from: by, to: user, subject });
  });
  await Promise.all(claims);

  await it.end(alice);

  const owners = (await tasks.list()).map(({ subject, owner }) => [subject, owner ?? null]);
  expect(owners).toContainEqual(["for alice", null]);
  expect(owners).toContainEqual(["for bob", bob]);
  const stateOf = async (name: MemberName) =>
    (await requests.list())
      .filter(({ from, to }) => from === name || to === name)
      .map(({ type, state, decision }) => [type, state, decision?.reason]);
  const ended = await stateOf(alice);
  expect(ended).toHaveLength(3);
  expect(ended).toContainEqual(["plan", "cancelled", "its member has ended"]);
  expect(ended).toContainEqual(["shutdown", "expired", "the member has ended"]);
  expect(ended).toContainEqual(["permission", "cancelled", "its member has ended"]);
  expect((await stateOf(bob)).map(([, state]) => state)).toEqual(["pending", "pending", "pending"]);
  expect(it.protocols.plans.isPending(alice)).toBe(false);
  expect(it.protocols.shutdowns.isAnyOpen).toBe(true);
});

test("the answer to a question is kept when its member ends", async () => {
  const it = await openRemovals();
  const subject = { tool: "bash", input: {} };
  const asked = await it.store.requests.open({
    type: "permission",
    from: alice,
    to: user,
    subject,
  });
  await it.store.requests.decide(asked.id, { by: user, state: "approved", hash: asked.hash });

  await it.end(alice);

  expect(await it.store.requests.get(asked.id)).toMatchObject({ state: "approved" });
});

test("a member that is ending already is not ended twice, and can be ended again later", async () => {
  const it = await openRemovals();
  let stops = 0;
  const stop = async () => void stops++;

  const first = it.removals.end(alice, removal, stop);
  const second = it.removals.end(alice, { reason: "another", expected: false }, stop);
  expect(it.removals.isAnyUnderWay).toBe(true);
  await Promise.all([first, second]);
  expect(stops).toBe(1);
  expect(it.removals.isAnyUnderWay).toBe(false);

  await it.removals.end(alice, removal, stop);
  expect(stops).toBe(2);
});

test("a member that cannot be stopped stays in the team, and can be ended again", async () => {
  const it = await openRemovals();
  const failing = it.removals.end(alice, removal, async () => {
    throw new Error("it hangs");
  });

  await expect(failing).rejects.toThrow("it hangs");

  expect((await it.recordOf(alice))?.status).toBe("working");
  expect(it.removals.isAnyUnderWay).toBe(false);
  await it.end(alice);
  expect((await it.recordOf(alice))?.status).toBe("shutdown");
});

test("P07 an interrupted removal leaves its reason in the roster, and is finished by one message to the lead", async () => {
  const it = await openRemovals();
  it.store.beforeSend = async () => {
    throw new Error("killed");
  };
  await expect(it.end(alice)).rejects.toThrow("killed");
  expect(await it.recordOf(alice)).toMatchObject({ status: "shutdown", ending: removal });
  it.store.beforeSend = async () => undefined;

  await it.removals.finish(alice, removal);
  const told = await it.store.unreadOf(lead);
  expect(told).toHaveLength(1);
  expect(await it.recordOf(alice)).not.toHaveProperty("ending");
  await it.removals.finish(alice, removal);
  expect(await it.store.unreadOf(lead)).toEqual(told);
});

test("the end of a successor is reported by another message, dated by its spawn", async () => {
  const it = await openRemovals();
  await it.end(alice);
  await it.protocols.keeper.upsert({ ...member("alice"), spawned_at: "2026-01-02T00:00:00.000Z" });

  await it.end(alice);

  const told = await it.store.unreadOf(lead);
  expect(told.map(timeIn)).toEqual([spawned_at, "2026-01-02T00:00:00.000Z"].map(Date.parse));
});

test("a member that a person has taken out of the roster is ended, too", async () => {
  const it = await openRemovals();
  await it.store.roster.update((team) => ({ ...team, members: [] }));

  await it.end(alice);

  const told = await it.store.unreadOf(lead);
  expect(told).toMatchObject([{ type: "teammate_terminated" }]);
  expect(told.map(timeIn)).toEqual([0]);
});

test("P01 what the person takes back of a member that has ended is withdrawn, and the rest goes back", async () => {
  const it = await openRemovals();
  const text = (from: MemberName, content: string) =>
    it.store.leaveMail(alice, { type: "message", from, content });
  const taken = await text(user, "Stop.");
  const kept = await text(user, "Go on.");
  const bobs = await text(bob, "Hello.");
  for (const { id } of [taken, bobs]) {
    await it.store.leaveMail(alice, { type: "withdraw_request", from: user, message_id: id });
  }

  await it.end(alice);

  const { mailbox } = await it.store.openMember(alice, { onSetAside: () => undefined });
  const states = new Map<string, string>();
  for await (const record of mailbox.records()) {
    if ("message" in record) states.set(record.message.id, record.state);
  }
  expect(states.get(taken.id)).toBe("withdrawn");
  expect(states.get(kept.id)).toBe("undelivered");
  // Only its sender can take a message back.
  expect(states.get(bobs.id)).toBe("undelivered");
});

test("the approved plan of a member is forgotten when it ends", async () => {
  const it = await openRemovals();
  const { plans } = it.protocols;
  await plans.begin(alice, true);
  const { id } = await plans.submit(alice, "1. …");
  await plans.decide(lead, id, { approve: true });
  expect(plans.approvedPlanOf(alice)).toBe(id);

  await it.end(alice);

  expect(plans.approvedPlanOf(alice)).toBeUndefined();
});

test("a member that is not open is ended, unless nobody has its name or it has ended", async () => {
  const it = await openRemovals();

  await it.removals.endAbsent(alice, removal);

  expect((await it.recordOf(alice))?.status).toBe("shutdown");
  await expect(it.removals.endAbsent(alice, removal)).rejects.toMatchObject({
    ...{ code: "member-ended", message: "'alice' is shut down already", hint: "Teammates: bob." },
  });
  const carol = parseTeammateName("carol");
  await expect(it.removals.endAbsent(carol, removal)).rejects.toMatchObject({
    ...{ code: "member-unknown", message: "No teammate is named 'carol'" },
    hint: "Teammates: bob.",
  });
  await it.removals.endAbsent(bob, removal);
  await expect(it.removals.endAbsent(bob, removal)).rejects.toMatchObject({
    hint: "There are no teammates.",
  });
});

test("unread mail goes back to the member that sent it, once, as a message of the runtime", async () => {
  const it = await openRemovals();
  const { post } = it.protocols;
  const [one, two] = [
    await post.send(alice, { type: "message", from: bob, content: "One." }),
    await post.send(alice, { type: "broadcast", from: bob, content: "x".repeat(10_001) }),
  ];

  await it.end(alice);
  await it.removals.finish(alice, removal);

  const returned = await it.store.unreadOf(bob);
  const heading = "Undelivered: 'alice' is shut down and has not read your message:\n";
  expect(returned).toMatchObject([
    { type: "message", from: system, content: `${heading}One.` },
    { type: "message", from: system, content: `${heading}${"x".repeat(10_000)}` },
  ]);
  expect(await it.store.unreadOf(alice)).toEqual([]);
  expect(it.removals.returned).toEqual([one.id, two.id]);
  expect(await it.store.eventsOf("message-returned")).toEqual(
    [one.id, two.id].map((id) => ({ type: "message-returned", member: alice, id })),
  );
  // Observers hear of each message before they hear of its return.
  const sent = await it.store.eventsOf("message-sent");
  expect(sent.map((event) => "id" in event && event.id)).toEqual([one.id, two.id]);
  expect(it.warnings).toEqual([]);
});

test("mail whose return a crash has interrupted is in its sender's mailbox once, dated as the first", async () => {
  const it = await openRemovals();
  const { post } = it.protocols;
  const { id, timestamp } = await post.send(alice, { type: "message", from: bob, content: "One." });
  await post.send(alice, { type: "message", from: lead, content: "Two." });
  it.clock.advance(60_000);
  it.store.beforeSend = async (to) => {
    if (to === lead) throw new Error("killed");
  };
  await expect(it.end(alice)).rejects.toThrow("killed");
  it.store.beforeSend = async () => undefined;

  await it.removals.finish(alice, removal);

  const returned = await it.store.unreadOf(bob);
  expect(returned).toHaveLength(1);
  expect(returned.map((message) => message.id)).not.toContain(id);
  expect(returned.map(timeIn)).toEqual([timestamp * 1000]);
  expect(await it.store.unreadOf(lead)).toMatchObject([
    { type: "message", content: expect.stringMatching(/^Undelivered: .*Two\.$/s) },
    { type: "teammate_terminated" },
  ]);
});

test.each([user, outside])("unread mail of %s is shown to the person", async (from) => {
  const it = await openRemovals();
  await it.store.leaveMail(alice, { type: "message", from, content: "x".repeat(201) });

  await it.end(alice);

  expect(it.warnings).toEqual([
    `'alice' is shut down and has not read your message: ${"x".repeat(200)}`,
  ]);
  expect(it.removals.returned).toHaveLength(1);
});

test("unread mail of the runtime goes back to nobody, and mail that needs no return is not returned", async () => {
  const it = await openRemovals();
  await it.store.leaveMail(alice, { type: "message", from: system, content: "Remember." });
  await it.store.leaveMail(alice, { type: "idle_notification", from: bob, content: "" });

  await it.end(alice);

  expect(it.warnings).toEqual([]);
  expect(it.removals.returned).toHaveLength(1);
  expect(await it.store.unreadOf(bob)).toEqual([]);
  expect(await it.store.unreadOf(alice)).toEqual([]);
  expect(await it.store.unreadOf(lead)).toMatchObject([{ type: "teammate_terminated" }]);
});

test("mail of a sender that has ended, too, keeps nobody from ending, but a failed return does", async () => {
  const it = await openRemovals();
  await it.end(bob);
  await it.store.leaveMail(alice, { type: "message", from: bob, content: "One." });
  await it.store.leaveMail(alice, {
    ...{ type: "message", from: MemberName.parse("carol"), content: "Two." },
  } as const);

  await it.end(alice);

  expect(it.removals.returned).toHaveLength(2);
  expect((await it.recordOf(alice))?.status).toBe("shutdown");

  await it.store.leaveMail(alice, { type: "message", from: bob, content: "Three." });
  for (const error of [new TeamError("write-failed", "The disk is full"), new Error("a bug")]) {
    it.store.beforeSend = async (to) => {
      if (to === bob) throw error;
    };
    await expect(it.removals.finish(alice, removal)).rejects.toBe(error);
  }
  // Its sender does not know yet: it is given back the next time.
  expect(await it.store.unreadOf(alice)).toMatchObject([{ content: "Three." }]);
});

test("a member whose mail cannot be read is ended, and the person is told", async () => {
  const it = await openRemovals();
  it.store.beforeOpen = async () => {
    throw new Error("damaged");
  };

  await it.end(alice);

  expect(it.warnings).toEqual([
    "The mail of 'alice' cannot be returned to its senders: Error: damaged",
  ]);
  expect((await it.recordOf(alice))?.status).toBe("shutdown");
  expect(await it.store.unreadOf(lead)).toMatchObject([{ type: "teammate_terminated" }]);
});

test("P04 mail that is on its way while its recipient ends is given back", async () => {
  const it = await openRemovals();
  const log: string[] = [];
  const isShutDown = promised();
  it.store.roster.onChange(() => isShutDown.keep());
  it.store.beforeOpen = async () => void log.push("mail is returned");
  const { post } = it.protocols;
  it.store.beforeSend = async (to) => {
    if (to !== alice) return;
    await isShutDown.promise;
    await new Promise((resolve) => setImmediate(resolve));
    await it.store.leaveMail(alice, { type: "message", from: bob, content: "Late." });
    log.push("mail has arrived");
  };

  const sending = post.send(alice, { type: "message", from: bob, content: "Late." });
  sending.catch(() => undefined);
  await it.end(alice);

  await expect(sending).rejects.toMatchObject({ code: "member-ended" });
  expect(log).toEqual(["mail has arrived", "mail is returned"]);
  expect(it.removals.returned).toHaveLength(1);
});

test("late mail is given back once, unless its member has a successor", async () => {
  const it = await openRemovals();
  await it.end(alice);
  await it.store.leaveMail(alice, { type: "message", from: bob, content: "Late." });

  await it.removals.returnLateMail(alice, () => false);
  expect(it.removals.returned).toEqual([]);
  expect(it.removals.isAnyUnderWay).toBe(false);

  const returns = [1, 2].map(() => it.removals.returnLateMail(alice, () => true));
  expect(it.removals.isAnyUnderWay).toBe(true);
  await Promise.all(returns);
  expect(it.removals.returned).toHaveLength(1);
  expect(it.removals.isAnyUnderWay).toBe(false);
});

test("late mail waits for what is under way, and is given back only if there is no successor then", async () => {
  const it = await openRemovals();
  const log: string[] = [];
  const isGone = () => {
    log.push(`under way: ${it.removals.isAnyUnderWay}`);
    return true;
  };

  const ending = it.end(alice);
  const returning = it.removals.returnLateMail(alice, isGone);
  await Promise.all([ending, returning]);
  expect(log).toEqual(["under way: false"]);

  const returns = [1, 2].map(() => it.removals.returnLateMail(alice, isGone));
  await Promise.all(returns);
  expect(log).toEqual(Array.from({ length: 3 }, () => "under way: false"));
});

test("a member is not stopped while its late mail is on its way back", async () => {
  const it = await openRemovals();
  const log: string[] = [];
  const isOpened = promised();
  it.store.beforeOpen = async () => {
    await isOpened.promise;
    log.push("mail is opened");
  };

  const returning = it.removals.returnLateMail(alice, () => true);
  const ending = it.removals.end(alice, removal, async () => void log.push("stopped"));
  isOpened.keep();
  await Promise.all([returning, ending]);

  expect(log.slice(0, 2)).toEqual(["mail is opened", "stopped"]);
});

test("one waits for the removals of one member, or of all, and for failed ones too", async () => {
  const it = await openRemovals();
  const log: string[] = [];
  const [aliceStops, bobStops] = [promised(), promised()];
  const ends = [
    it.removals.end(alice, removal, async () => {
      await aliceStops.promise;
      throw new Error("it hangs");
    }),
    it.removals.end(bob, removal, () => bobStops.promise),
  ];
  const settled = [
    it.removals.settled(parseTeammateName("carol")).then(() => log.push("carol")),
    it.removals.settled(alice).then(() => log.push("alice")),
    it.removals.settled().then(() => log.push("all")),
  ];

  await settled[0];
  expect(log).toEqual(["carol"]);
  aliceStops.keep();
  await settled[1];
  expect(log).toEqual(["carol", "alice"]);
  bobStops.keep();
  await settled[2];

  expect(log).toEqual(["carol", "alice", "all"]);
  expect((await it.recordOf(bob))?.status).toBe("shutdown");
  const [first] = await Promise.allSettled(ends);
  expect(first).toMatchObject({ status: "rejected" });
});

/** The time that the id of a message begins with. */
function timeIn({ id }: { id: string }): number {
  return Number.parseInt(id.replace("-", "").slice(0, 12), 16);
}

/** Removals in a team with alice, who works, and bob. */
async function openRemovals() {
  const { protocols, ...it } = openTestProtocols();
  const { keeper, removals } = protocols;
  await keeper.upsert({ ...member("alice", "working"), detail: "at it", spawned_at });
  await keeper.upsert({ ...member("bob"), spawned_at });
  return {
    ...it,
    protocols,
    removals,
    end: (name: MemberName, why = removal) => removals.end(name, why, async () => undefined),
    recordOf: async (name: MemberName) =>
      (await keeper.read()).members.find((each) => each.name === name),
  };
}
