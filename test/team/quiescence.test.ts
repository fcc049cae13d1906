import { expect, test } from "vitest";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead, MemberName, system, user } from "../../src/protocol/ids.ts";
import { Members } from "../../src/team/members/members.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { Post } from "../../src/team/post.ts";
import { untilQuiet } from "../../src/team/quiescence.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { promised } from "../support/promised.ts";
import { SetMember } from "../support/set-member.ts";
import { enlist, member } from "../support/team.ts";

const alice = MemberName.parse("alice");
const done = { outcome: "done", answers: ["Done."] } as const;

test("a team in which nobody works is quiet at once, and leaves no timer", async () => {
  await using it = await openTeam();

  await it.untilQuiet();

  expect(it.clock.pending).toBe(0);
  expect(it.theLead.orders).toEqual([]);
});

test("a team is quiet when its last member has nothing to do any more", async () => {
  await using it = await openTeam();
  it.alice.set({ isBusy: true });
  const quiet = it.untilQuiet();

  it.theLead.set({ isBusy: true });
  it.alice.set({ isBusy: false });
  expect(it.log).toEqual([]);
  it.theLead.set({ isBusy: false });
  await quiet;

  expect(it.log).toEqual(["quiet"]);
});

test("waiting ends early when it is aborted, before or meanwhile, and nobody is reminded", async () => {
  await using it = await openTeam();
  await it.store.tasks.create({ subject: "open", created_by: lead });
  it.alice.set({ isBusy: true });
  const waiting = new AbortController();
  const quiet = it.untilQuiet({ signal: waiting.signal });

  waiting.abort();
  await quiet;
  await it.untilQuiet({ signal: AbortSignal.abort() });
  it.alice.set({ isBusy: false });
  await it.untilQuiet({ signal: AbortSignal.abort() });

  expect(await it.mailOfLead()).toEqual([]);
});

test("waiting ends when the team is closed, and nobody is reminded", async () => {
  await using it = await openTeam();
  await it.store.tasks.create({ subject: "open", created_by: lead });
  it.alice.set({ isBusy: true });
  const quiet = it.untilQuiet();

  it.isClosing = true;
  it.members.changed();
  await quiet;
  it.alice.set({ isBusy: false });
  await it.untilQuiet();

  expect(await it.mailOfLead()).toEqual([]);
});

test("P22 a member with mail that it has not looked at is woken once, and then the team is quiet", async () => {
  await using it = await openTeam();
  const { id } = await it.store.send(alice, { type: "message", from: lead, content: "Go." });
  const quiet = it.untilQuiet();
  await quiet;

  expect(it.alice.orders).toEqual([{ type: "wake" }]);
  expect(it.theLead.orders).toEqual([]);
  it.alice.orders.length = 0;
  it.alice.set({ lookedAt: id });
  await it.untilQuiet();
  expect(it.alice.orders).toEqual([]);
});

test("P22 a member is woken again for newer mail, and the team waits for what it does then", async () => {
  await using it = await openTeam();
  await it.store.send(alice, { type: "message", from: lead, content: "One." });
  let wakes = 0;
  it.alice.onOrder = async () => {
    wakes++;
    if (wakes === 1) await it.store.send(alice, { type: "message", from: lead, content: "Two." });
    if (wakes === 2) it.alice.set({ isBusy: true });
  };
  const quiet = it.untilQuiet();

  await it.alice.isBusy;
  expect(it.log).toEqual([]);
  it.alice.set({ isBusy: false });
  await quiet;

  expect(wakes).toBe(2);
});

test("an ended member is not woken for its mail", async () => {
  await using it = await openTeam();
  await it.store.send(alice, { type: "message", from: lead, content: "Go." });
  it.alice.set({ hasEnded: true });

  await it.untilQuiet();

  expect(it.alice.orders).toEqual([]);
});

test("a lead that leaves plans and tasks open is reminded of them once", async () => {
  await using it = await openTeam();
  const { requests, tasks } = it.store;
  const subject = { plan: "1. …" };
  const plan = await requests.open({ type: "plan", from: alice, to: lead, subject });
  await requests.open({ type: "plan", from: alice, to: user, subject });
  await requests.open({ type: "shutdown", from: alice, to: lead, subject: {} });
  const decided = await requests.open({ type: "plan", from: alice, to: lead, subject });
  await requests.decide(decided.id, { by: lead, state: "approved", hash: decided.hash });
  for (const task of ["one", "two", "three"]) {
    await tasks.create({ subject: task, created_by: lead });
  }
  const [one, two, three] = await tasks.list();
  if (!one || !two || !three) throw new Error("There are three");
  await tasks.claim(two.id, { by: alice });
  await tasks.claim(three.id, { by: alice });
  await tasks.complete(three.id, { by: alice });
  it.theLead.set({ lastEnd: done });

  await it.untilQuiet();

  expect(await it.mailOfLead()).toEqual([
    expect.objectContaining({
      ...{ type: "message", from: system },
      content: [
        "Everybody is idle, and this is not finished:",
        `- the plan of alice is undecided (request_id=${plan.id})`,
        "- task 1 is pending: one",
        "- task 2 is in_progress, owned by alice: two",
        "Decide, assign, complete or cancel it; or say why it stays so.",
      ].join("\n"),
    }),
  ]);
});

test("a reminder lists at most 50 open plans and tasks", async () => {
  await using it = await openTeam();
  for (let number = 1; number <= 51; number++) {
    await it.store.tasks.create({ subject: `number ${number}`, created_by: lead });
  }
  it.theLead.set({ lastEnd: done });

  await it.untilQuiet();

  const [reminder] = await it.mailOfLead();
  const lines = reminder?.content.split("\n") ?? [];
  expect(lines).toHaveLength(52);
  expect(lines.at(-2)).toBe("- task 50 is pending: number 50");
});

test.each([
  ["has not run", {}],
  ["was interrupted", { lastEnd: { ...done, outcome: "interrupted" } }],
  ["has failed", { lastEnd: done, failure: "" }],
  ["has used up its budget", { lastEnd: done, exhausted: "no money" }],
] as const)("a lead that %s is not reminded", async (_, state) => {
  await using it = await openTeam();
  await it.store.tasks.create({ subject: "open", created_by: lead });
  it.theLead.set(state);

  await it.untilQuiet();

  expect(await it.mailOfLead()).toEqual([]);
});

test("a lead with nothing open is not reminded", async () => {
  await using it = await openTeam();
  it.theLead.set({ lastEnd: done });

  await it.untilQuiet();

  expect(await it.mailOfLead()).toEqual([]);
});

test("a lead is not reminded if somebody began to work while the open tasks were read", async () => {
  await using it = await openTeam();
  const { id } = await it.store.tasks.create({ subject: "open", created_by: lead });
  it.theLead.set({ lastEnd: done });
  const list = it.store.tasks.list.bind(it.store.tasks);
  it.store.tasks.list = async () => {
    const all = await list();
    it.store.tasks.list = list;
    it.alice.set({ isBusy: true });
    return all;
  };
  const quiet = it.untilQuiet();

  await it.alice.isBusy;
  await it.store.tasks.claim(id, { by: alice });
  await it.store.tasks.complete(id, { by: alice });
  it.alice.set({ isBusy: false });
  await quiet;

  expect(await it.mailOfLead()).toEqual([]);
});

test("background commands are waited for, and no longer than the time for them", async () => {
  await using it = await openTeam();
  it.alice.set({ backgroundJobs: ["sleep 9"] });
  const quiet = it.untilQuiet({ backgroundWaitMs: 5_000 });

  await it.clock.waitingFor(5_000);
  it.clock.advance(4_999);
  it.members.changed();
  await it.clock.waitingFor(1);
  expect(it.log).toEqual([]);
  it.clock.advance(1);
  await quiet;

  expect(it.clock.pending).toBe(0);
});

test.each([
  ["a run restarts", { runs: 2 }, 7_000],
  ["a wake without a run does not restart", { runs: 1 }, 5_000],
] as const)("%s the time for background commands", async (_, state, endMs) => {
  await using it = await openTeam();
  it.alice.set({ backgroundJobs: ["sleep 9"], runs: 1 });
  void it.untilQuiet({ backgroundWaitMs: 5_000 });
  await it.clock.waitingFor(5_000);

  it.clock.advance(2_000);
  it.alice.set({ isBusy: true });
  await it.isSeenBusy.promise;
  it.alice.set({ isBusy: false, ...state });
  await it.clock.waitingFor(endMs - 2_000);
  await it.clock.advanceUntil(() => it.log.length > 0);

  expect(it.clock.monotonicMs()).toBe(endMs);
});

test("a background command that has ended is waited for until its owner is told", async () => {
  await using it = await openTeam();
  it.alice.set({ isTellingOfJobs: true });
  const quiet = it.untilQuiet({ backgroundWaitMs: 5_000 });
  await it.clock.waitingFor(5_000);
  expect(it.log).toEqual([]);

  it.alice.set({ isTellingOfJobs: false, isBusy: true });
  await it.isSeenBusy.promise;
  it.alice.set({ isBusy: false });
  await quiet;

  expect(it.clock.monotonicMs()).toBe(0);
});

test("a team is quiet as soon as its background commands have ended", async () => {
  await using it = await openTeam();
  it.alice.set({ backgroundJobs: ["sleep 9"] });
  const quiet = it.untilQuiet({ backgroundWaitMs: 5_000 });
  await it.clock.waitingFor(5_000);

  it.alice.set({ isBusy: true });
  await it.isSeenBusy.promise;
  it.alice.set({ isBusy: false, backgroundJobs: [] });
  await quiet;

  expect(it.clock.monotonicMs()).toBe(0);
  expect(it.clock.pending).toBe(0);
});

test.each([
  ["of an ended member", { backgroundJobs: ["sleep 9"], hasEnded: true }, 5_000],
  ["that there is no time for", { backgroundJobs: ["sleep 9"] }, 0],
] as const)("background commands %s are not waited for", async (_, state, backgroundWaitMs) => {
  await using it = await openTeam();
  it.alice.set(state);

  await it.untilQuiet({ backgroundWaitMs });

  expect(it.clock.monotonicMs()).toBe(0);
  expect(it.clock.pending).toBe(0);
});

test("waiting for background commands ends early when it is aborted", async () => {
  await using it = await openTeam();
  it.alice.set({ backgroundJobs: ["sleep 9"] });
  const waiting = new AbortController();
  const quiet = it.untilQuiet({ signal: waiting.signal, backgroundWaitMs: 5_000 });
  await it.clock.waitingFor(5_000);

  waiting.abort();
  await quiet;

  expect(it.clock.pending).toBe(0);
});

/** A team of a lead and alice, which is quiet while neither of them is busy. */
async function openTeam() {
  const clock = new ManualClock();
  const store = new MemoryTeamStore({ clock });
  await enlist(store, member("alice"));
  const log: string[] = [];
  const isSeenBusy = promised();
  const members: Members = new Members(() => members.changed());
  const [theLead, other] = [new OrderedMember(lead), new OrderedMember(alice)];
  members.add(theLead);
  members.add(other);
  return {
    clock,
    store,
    members,
    theLead,
    alice: other,
    log,
    isClosing: false,
    isSeenBusy,
    get isQuiet() {
      const isBusy = members.living.some(({ state }) => state.isBusy);
      if (isBusy) isSeenBusy.keep();
      return !isBusy;
    },
    options: { store, clock },
    protocols: { post: new Post({ store, secrets: new Secrets([]), clock }) },
    async untilQuiet({ signal = new AbortController().signal, backgroundWaitMs = 0 } = {}) {
      await untilQuiet(this, { signal, backgroundWaitMs });
      log.push("quiet");
    },
    async mailOfLead() {
      const { reader } = await store.openMember(lead, { onSetAside: () => undefined });
      return (await reader.unread()).map(({ message }) => message);
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** A member of which a test says what its orders bring about. */
class OrderedMember extends SetMember {
  onOrder = async (): Promise<void> => undefined;

  /** Resolves when it is busy. */
  get isBusy(): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.state.isBusy) resolve();
      };
      this.onChange(look);
      look();
    });
  }

  override async order(...given: Parameters<SetMember["order"]>): Promise<void> {
    await super.order(...given);
    await this.onOrder();
  }
}
