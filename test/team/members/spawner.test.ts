import { expect, test } from "vitest";
import { lead, type MemberName, parseTeammateName, user } from "../../../src/protocol/ids.ts";
import type { PermissionMode } from "../../../src/protocol/message.ts";
import type { MemberRecord } from "../../../src/protocol/team.ts";
import { Spawner, type SpawnerOptions } from "../../../src/team/members/spawner.ts";
import type { SpawnRequest } from "../../../src/tools/team/team-access.ts";
import { noCheckouts } from "../../support/no-checkouts.ts";
import { noRoles } from "../../support/no-roles.ts";
import { promised } from "../../support/promised.ts";
import { openTestProtocols } from "../../support/protocols.ts";
import { SetMember } from "../../support/set-member.ts";

const [alice, bob] = ["alice", "bob"].map(parseTeammateName) as [MemberName, MemberName];

test("a spawned member is in the roster and open, and starts with its prompt in its mailbox", async () => {
  const it = openSpawner();

  const record = await it.spawn("alice");

  expect(record).toMatchObject({ name: alice, role: "coder", status: "working" });
  expect(await it.roster()).toMatchObject([{ name: alice, incarnation: record.incarnation }]);
  expect(await it.store.eventsOf("member-change")).toEqual([
    { type: "member-change", member: alice, status: "working" },
  ]);
  expect(await it.store.unreadOf(alice)).toMatchObject([
    { type: "message", from: lead, content: "Begin." },
  ]);
  expect(it.log).toEqual(["open alice", "onSpawn alice", "mail to alice", "alice: start"]);
  expect(it.members.get(alice)).toBe(it.handleOf(alice));
});

test("a member has the rules that were added while it was being opened", async () => {
  const it = openSpawner();
  it.beforeOpen = async () => {
    const update = { type: "team_permission_update", rule: "bash(ls)", decision: "allow" } as const;
    const { post } = it.protocols;
    const message = await post.send(lead, { ...update, from: user });
    const { rules } = it.protocols.permissions;
    if (message.type === "team_permission_update") await rules.takeFromMail(message);
  };

  await it.spawn("alice");

  const [order] = it.handleOf(alice).orders;
  expect(order).toMatchObject({ type: "set-rules", rules: [{ text: "bash(ls)" }] });
});

test("a member whose prompt cannot be sent starts all the same, and its spawn fails", async () => {
  const it = openSpawner();
  it.store.beforeSend = async () => {
    throw new Error("The disk is full");
  };

  await expect(it.spawn("alice")).rejects.toThrow("The disk is full");

  expect(it.handleOf(alice).orders.at(-1)).toEqual({ type: "start" });
});

test("a member that is spawned again unchanged continues in its new mode, without a second start", async () => {
  const it = openSpawner();
  await it.spawn("alice");
  const handle = it.handleOf(alice);
  handle.orders.length = 0;
  it.log.length = 0;

  await it.spawn("alice", { prompt: "Go on.", mode: "plan" });

  expect(it.log).toEqual(["alice: respawn", "onSpawn alice", "mail to alice"]);
  expect(handle.orders).toEqual([
    { type: "respawn", mode: "plan" },
    { type: "set-rules", rules: [] },
  ]);
  expect(it.members.get(alice)).toBe(handle);
  expect(await it.store.unreadOf(alice)).toMatchObject([
    { content: "Begin." },
    { content: "Go on." },
  ]);
  expect(it.forgotten).toEqual([]);
});

test("a member that is spawned with another role is checked, left and opened again", async () => {
  const it = openSpawner();
  await it.spawn("alice");
  const before = it.handleOf(alice);
  it.log.length = 0;

  await it.spawn("alice", { role: "tester" });

  expect(it.log).toEqual([
    ...["check alice", "alice: leave", "open alice"],
    ...["onSpawn alice", "mail to alice", "alice: start"],
  ]);
  expect(it.members.get(alice)).not.toBe(before);
  expect(it.forgotten).toEqual([]);
});

test("a member that is spawned afresh makes way, and its transcript is set aside", async () => {
  const it = openSpawner();
  await it.spawn("alice");
  it.log.length = 0;

  await it.spawn("alice", { fresh: true });

  expect(it.log.slice(0, 4)).toEqual([
    ...["check alice", "alice: make-way", "forget alice", "open alice"],
  ]);
});

test("a member of an earlier process is forgotten when its name is spawned afresh, and only then", async () => {
  const it = openSpawner();

  await it.spawn("alice", { fresh: true });
  await it.spawn("bob", { fresh: false });

  expect(it.forgotten).toEqual([alice]);
  expect(it.log.filter((line) => line.startsWith("check"))).toEqual([]);
});

test("an ended member is opened again, as is one that is not in the roster", async () => {
  const it = openSpawner();
  await it.spawn("alice");
  it.handleOf(alice).set({ hasEnded: true });
  it.log.length = 0;

  await it.spawn("alice");
  expect(it.log.slice(0, 3)).toEqual(["check alice", "alice: leave", "open alice"]);

  await it.store.roster.update((team) => ({ ...team, members: [] }));
  it.log.length = 0;
  await it.spawn("alice");
  expect(it.log.slice(0, 3)).toEqual(["check alice", "alice: leave", "open alice"]);
});

test("a member that could not be opened as asked stays as it is", async () => {
  const it = openSpawner();
  await it.spawn("alice");
  const handle = it.handleOf(alice);
  const before = await it.roster();
  it.log.length = 0;
  it.options.check = async () => {
    throw new Error("no such directory");
  };

  await expect(it.spawn("alice", { role: "tester" })).rejects.toThrow("no such directory");

  expect(it.log).toEqual([]);
  expect(it.members.get(alice)).toBe(handle);
  expect(await it.roster()).toEqual(before);
});

test("a member that cannot be opened leaves no trace, and keeps nobody from being spawned", async () => {
  const it = openSpawner();
  it.beforeOpen = async (name) => {
    if (name === alice) throw new Error("no key");
  };
  const [failing, spawned] = [it.spawn("alice"), it.spawn("bob")];

  await expect(failing).rejects.toThrow("no key");
  await spawned;

  expect(await it.roster()).toMatchObject([{ name: bob }]);
  expect((await it.store.eventsOf("member-change")).map(({ member }) => member)).toEqual([bob]);
  expect(it.members.get(alice)).toBeUndefined();
  expect(it.spawner.isAnyUnderWay).toBe(false);
  expect(it.spawner.isSpawning(alice)).toBe(false);
  it.beforeOpen = async () => undefined;
  await it.spawn("alice");
  expect(await it.roster()).toMatchObject([{ name: bob }, { name: alice }]);
});

test("members enter the roster in the order of their spawns, whichever is open first", async () => {
  const it = openSpawner();
  const bobIsOpen = promised();
  it.beforeOpen = async (name) => {
    if (name === alice) await bobIsOpen.promise;
    else bobIsOpen.keep();
  };

  await Promise.all([it.spawn("alice"), it.spawn("bob")]);

  expect(await it.roster()).toMatchObject([{ name: alice }, { name: bob }]);
});

test("a spawn that fails does not let a later one enter the roster before an earlier one", async () => {
  const it = openSpawner();
  const aliceOpens = promised();
  it.beforeOpen = async (name) => {
    if (name === alice) await aliceOpens.promise;
    if (name === bob) throw new Error("no key");
  };

  const spawns = ["alice", "bob", "carol"].map((name) => it.spawn(name));
  const outcomes = Promise.allSettled(spawns);
  await it.isOpening(parseTeammateName("carol"), 1);
  await new Promise((resolve) => setImmediate(resolve));
  aliceOpens.keep();

  expect((await outcomes).map(({ status }) => status)).toEqual([
    ...["fulfilled", "rejected", "fulfilled"],
  ]);
  expect((await it.roster()).map(({ name }) => name)).toEqual(["alice", "carol"]);
});

test("a spawn of a name that is being spawned waits, and wakes the same member", async () => {
  const it = openSpawner();
  const isOpen = promised();
  it.beforeOpen = () => isOpen.promise;
  const first = it.spawn("alice");
  await it.isOpening(alice, 1);

  const second = it.spawn("Alice", { prompt: "Go on." });
  isOpen.keep();
  await first;
  const { incarnation } = await second;

  expect(it.log.filter((line) => line === "open alice")).toHaveLength(1);
  expect(await it.roster()).toMatchObject([{ name: alice, incarnation }]);
  expect(await it.store.unreadOf(alice)).toMatchObject([
    { content: "Begin." },
    { content: "Go on." },
  ]);
});

test("of two spawns of one name in the same moment, only one opens the member", async () => {
  const it = openSpawner();

  await Promise.all([it.spawn("alice"), it.spawn("Alice", { prompt: "Go on." })]);

  expect(it.log.filter((line) => line === "open alice")).toHaveLength(1);
  expect(await it.store.unreadOf(alice)).toMatchObject([
    { content: "Begin." },
    { content: "Go on." },
  ]);
});

test("a spawn is dated by the moment it was asked for", async () => {
  const it = openSpawner();
  const isOpen = promised();
  it.beforeOpen = () => isOpen.promise;
  const askedAt = it.clock.now().toISOString();
  const first = it.spawn("alice");
  await it.isOpening(alice, 1);
  const second = it.spawn("alice");

  it.clock.advance(5_000);
  isOpen.keep();

  expect(await first).toMatchObject({ spawned_at: askedAt });
  expect(await second).toMatchObject({ spawned_at: askedAt });
});

test("a name that is none is refused", async () => {
  const it = openSpawner();

  await expect(it.spawn("a b")).rejects.toMatchObject({ code: "name-invalid" });

  expect(it.spawner.isAnyUnderWay).toBe(false);
});

test("members that are being opened count among those that may be alive, each once", async () => {
  const it = openSpawner({ maxTeammates: 2 });
  await it.spawn("alice");
  const isOpen = promised();
  it.beforeOpen = () => isOpen.promise;
  const again = it.spawn("alice", { role: "tester" });
  await it.isOpening(alice, 2);
  const coming = it.spawn("bob");
  await it.isOpening(bob, 1);

  await expect(it.spawn("carol")).rejects.toThrow(/There are 2 teammates, and no more than 2/);

  isOpen.keep();
  await Promise.all([again, coming]);
  expect((await it.roster()).map(({ name }) => name)).toEqual([alice, bob]);
});

test("a member that works is refused, and one whose budget is used up", async () => {
  const it = openSpawner();
  await it.spawn("alice");
  it.handleOf(alice).set({ isBusy: true });
  await expect(it.spawn("alice")).rejects.toThrow("'alice' is currently working");
  it.handleOf(alice).set({ isBusy: false, exhausted: "its budget is used up" });

  await expect(it.spawn("alice")).rejects.toMatchObject({
    ...{ code: "spawn-refused", message: "'alice' cannot work: its budget is used up" },
  });
  expect(await it.store.unreadOf(alice)).toHaveLength(1);
});

test("a member is in the lead's current mode and model where nothing else is asked for", async () => {
  const it = openSpawner();
  it.mode = "plan";

  expect(await it.spawn("alice")).toMatchObject({ permission_mode: "plan", model: "lead/model" });
  await expect(it.spawn("bob", { mode: "acceptEdits" })).rejects.toThrow(/wider/);
});

test.each([true, false])("a member needs a plan as asked: %s", async (planRequired) => {
  const it = openSpawner();

  await it.spawn("alice", { planRequired });

  const reason = it.protocols.plans.gateOf(alice).closed();
  expect(reason !== undefined).toBe(planRequired);
});

test("P07 a shutdown request to its predecessor is void", async () => {
  const it = openSpawner();
  await it.spawn("alice");
  const { id } = await it.protocols.shutdowns.ask(lead, alice);

  await it.spawn("alice");

  expect(await it.store.requests.get(id)).toMatchObject({ state: "expired" });
  expect(it.protocols.shutdowns.isAnyOpen).toBe(false);
});

test("a member is opened when the removal of the one that had its name is finished", async () => {
  const it = openSpawner();
  await it.spawn("alice");
  it.log.length = 0;
  const { removals } = it.protocols;
  const removal = { reason: "it is done", expected: true };

  const ending = removals.end(alice, removal, async () =>
    it.handleOf(alice).set({ hasEnded: true }),
  );
  const spawning = it.spawn("alice", { role: "tester" });
  await Promise.all([ending, spawning]);

  // The removal gives back the first prompt, and reports the end.
  expect(it.log.slice(0, 3)).toEqual(["mail to lead", "mail to lead", "check alice"]);
  expect(await it.roster()).toMatchObject([{ status: "working", role: "tester" }]);
});

test("a spawn is under way from the moment it was asked for until it is finished", async () => {
  const it = openSpawner();
  const isOpen = promised();
  it.beforeOpen = () => isOpen.promise;

  const spawning = it.spawn("alice");
  expect(it.spawner.isAnyUnderWay).toBe(true);
  expect(it.spawner.underWay).toHaveLength(1);
  await it.isOpening(alice, 1);
  expect(it.spawner.isSpawning(alice)).toBe(true);
  expect(it.spawner.isSpawning(bob)).toBe(false);
  const [underWay] = it.spawner.underWay;
  isOpen.keep();

  expect((await underWay)?.record).toEqual(await spawning);
  expect(it.spawner.isAnyUnderWay).toBe(false);
  expect(it.spawner.underWay).toEqual([]);
  expect(it.spawner.isSpawning(alice)).toBe(false);
});

test("one waits for the spawn of one member, or for all, failed ones too", async () => {
  const it = openSpawner();
  const [aliceOpens, bobOpens] = [promised(), promised()];
  it.beforeOpen = async (name) => {
    await (name === alice ? aliceOpens : bobOpens).promise;
    if (name === bob) throw new Error("no key");
  };
  const done: string[] = [];
  const spawns = Promise.allSettled([it.spawn("alice"), it.spawn("bob")]);
  await it.isOpening(bob, 1);
  const settled = [
    it.spawner.settled(parseTeammateName("carol")).then(() => done.push("carol")),
    it.spawner.settled(bob).then(() => done.push("bob")),
    it.spawner.settled().then(() => done.push("all")),
  ];

  await settled[0];
  expect(done).toEqual(["carol"]);
  bobOpens.keep();
  aliceOpens.keep();
  await settled[1];
  expect(done).toEqual(["carol", "bob"]);
  await settled[2];
  expect(it.spawner.isAnyUnderWay).toBe(false);
  expect((await spawns).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
});

test("a team that closes waits for the spawns that are under way, and refuses others", async () => {
  const it = openSpawner();
  const isOpen = promised();
  it.beforeOpen = () => isOpen.promise;
  const spawning = it.spawn("alice");
  await it.isOpening(alice, 1);

  const closing = it.spawner.close().then(() => it.log.push("closed"));
  await expect(it.spawn("bob")).rejects.toMatchObject({ code: "team-closed" });
  expect(it.log).toEqual(["open alice"]);
  isOpen.keep();
  await Promise.all([spawning, closing]);

  expect(it.log.at(-1)).toBe("closed");
  expect(await it.roster()).toMatchObject([{ name: alice }]);
});

/** A spawner whose members only keep their orders, and which logs what it does in order. */
function openSpawner({ maxTeammates = 8 } = {}) {
  const { protocols, ...team } = openTestProtocols();
  const { store, clock, members } = team;
  const log: string[] = [];
  const forgotten: MemberName[] = [];
  const handles = new Map<MemberName, SetMember>();
  const opening = new Set<() => void>();
  store.beforeSend = async (to) => void log.push(`mail to ${to}`);
  store.forget = async (name) => {
    forgotten.push(name);
    log.push(`forget ${name}`);
  };
  const options: SpawnerOptions = {
    ...{ store, clock, members, protocols, maxTeammates, toolNames: ["bash"] },
    lead: {
      ...{ root: "/repo", cwd: "/repo", model: "lead/model", mode: "default" },
      ...{ rules: [], maxTurns: 10 },
    },
    checkModel: () => undefined,
    resolveModel: async (id: string) => id,
    effortProblem: async () => undefined,
    review: async ({ request }) => request,
    checkouts: noCheckouts,
    roles: noRoles,
    check: async ({ name }) => void log.push(`check ${name}`),
    checkGiven: async () => undefined,
    open: async ({ name }: MemberRecord) => {
      log.push(`open ${name}`);
      for (const look of opening) look();
      await it.beforeOpen(name);
      const handle = new LoggedMember(name, log);
      handles.set(name, handle);
      return handle;
    },
    leadsMode: () => it.mode,
    onSpawn: (name) => void log.push(`onSpawn ${name}`),
  };
  const spawner = new Spawner(options);
  const it = {
    ...team,
    protocols,
    spawner,
    options,
    log,
    forgotten,
    mode: "default" as PermissionMode,
    beforeOpen: async (_: MemberName): Promise<void> => undefined,
    spawn: (name: string, more: Partial<SpawnRequest> = {}) =>
      spawner
        .spawn(lead, { name, role: "coder", prompt: "Begin.", ...more })
        .then(({ record }) => record),
    roster: async () => (await protocols.keeper.read()).members,
    handleOf(name: MemberName): SetMember {
      const handle = handles.get(name);
      if (handle) return handle;
      throw new Error(`'${name}' was not opened`);
    },
    /** Resolves when a member is being opened for the `count`th time. */
    isOpening: (name: MemberName, count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (log.filter((line) => line === `open ${name}`).length >= count) resolve();
        };
        opening.add(look);
        look();
      }),
  };
  return it;
}

/** Logs every order but the one that each spawn brings. */
class LoggedMember extends SetMember {
  readonly #log: string[];

  constructor(name: MemberName, log: string[]) {
    super(name);
    this.#log = log;
  }

  override async order(order: Parameters<SetMember["order"]>[0]): Promise<void> {
    await super.order(order);
    if (order.type !== "set-rules") this.#log.push(`${this.name}: ${order.type}`);
  }
}
