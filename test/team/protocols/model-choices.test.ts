import { expect, test } from "vitest";
import { TeamError } from "../../../src/errors.ts";
import { lead, MemberName } from "../../../src/protocol/ids.ts";
import type { MemberRecord } from "../../../src/protocol/team.ts";
import { leadDefinition, teammateDefinition } from "../../../src/team/members/member-definition.ts";
import {
  ModelChoices,
  type ModelChoicesOptions,
} from "../../../src/team/protocols/model-choices.ts";
import { openTestProtocols } from "../../support/protocols.ts";
import { SetMember } from "../../support/set-member.ts";
import { member } from "../../support/team.ts";

const [alice, bob] = ["alice", "bob"].map((name) => MemberName.parse(name)) as [
  MemberName,
  MemberName,
];
const follows = ["model", "effort"] as const;

test("each living member is listed with its model, and what it has from the lead", async () => {
  const it = await openChoices();

  expect(await it.choices.list()).toEqual([
    { member: lead, model: "p/lead", effort: "high", follows: [] },
    { member: alice, model: "p/lead", effort: "high", follows },
    { member: bob, model: "p/own", effort: "high", follows: ["effort"] },
  ]);
});

test("members that do not run are not listed, and nothing is ordered of them", async () => {
  const it = await openChoices();
  it.handles.get(alice)?.set({ hasEnded: true });

  await it.choices.set("all", { model: "p/new" });

  expect((await it.choices.list()).map((each) => each.member)).toEqual([lead, bob]);
  expect(it.ordersOf(alice)).toEqual([]);
});

test("a model of the lead's is one for all that follow it, and each change is an event", async () => {
  const it = await openChoices();

  await it.choices.set(lead, { model: "new" });

  const order = { type: "set-model", model: "p/new", effort: "high" };
  expect([lead, alice, bob].map((name) => it.ordersOf(name))).toEqual([[order], [order], []]);
  expect(await it.store.eventsOf("model-set")).toEqual([
    { type: "model-set", member: lead, model: "p/new", effort: "high" },
    { type: "model-set", member: alice, model: "p/new", effort: "high" },
  ]);
  expect(it.choices.lead).toMatchObject({ model: "p/new", effort: "high" });
  expect(await it.record(alice)).toMatchObject({ model: "p/new", inherits: [...follows] });
  expect(await it.record(bob)).toMatchObject({ model: "p/own" });
  expect(await it.decided()).toMatchObject({ model: "p/new" });
  expect(await it.decided()).not.toHaveProperty("effort");
});

test("a model of a teammate's own is followed by nobody, and no longer the lead's", async () => {
  const it = await openChoices();

  await it.choices.set(alice, { model: "new" });

  expect([lead, alice, bob].map((name) => it.ordersOf(name).length)).toEqual([0, 1, 0]);
  expect(await it.record(alice)).toMatchObject({ model: "p/new", inherits: ["effort"] });
  expect(it.choices.lead.model).toBe("p/lead");
  expect(await it.decided()).not.toHaveProperty("model");
});

test("what is set for all is the lead's, and everybody follows it from now on", async () => {
  const it = await openChoices();

  await it.choices.set("all", { model: "new", effort: "low" });

  const order = { type: "set-model", model: "p/new", effort: "low" };
  for (const name of [lead, alice, bob]) expect(it.ordersOf(name)).toEqual([order]);
  expect(await it.choices.list()).toEqual([
    { member: lead, model: "p/new", effort: "low", follows: [] },
    { member: alice, model: "p/new", effort: "low", follows },
    { member: bob, model: "p/new", effort: "low", follows },
  ]);
  expect(await it.decided()).toMatchObject({ model: "p/new", effort: "low" });
});

test("the effort `default` is none, also for those that follow, and is kept as such", async () => {
  const it = await openChoices();

  await it.choices.set(lead, { effort: "default" });

  expect(it.ordersOf(bob)).toEqual([{ type: "set-model", model: "p/own", effort: undefined }]);
  expect(await it.store.eventsOf("model-set")).toContainEqual({
    ...{ type: "model-set", member: lead, model: "p/lead" },
  });
  expect(await it.decided()).toMatchObject({ effort: "default" });
  await it.choices.set(alice, { effort: "default" });
  await it.choices.set(lead, { effort: "low" });
  expect((await it.choices.list()).map(({ effort }) => effort)).toEqual(["low", undefined, "low"]);
});

test("what is so already is no change for anybody", async () => {
  const it = await openChoices();

  await it.choices.set(lead, { model: "lead", effort: "high" });

  for (const name of [lead, alice, bob]) expect(it.ordersOf(name)).toEqual([]);
  expect(await it.store.eventsOf("model-set")).toEqual([]);
});

test("an effort that the model of any member cannot have is refused, and nothing has changed", async () => {
  const it = await openChoices({
    effortProblem: async (model, effort) =>
      model === "p/own" && effort === "low" ? "it does not think" : undefined,
  });

  await expect(it.choices.set("all", { effort: "low" })).rejects.toMatchObject({
    ...{ code: "config-invalid" },
    message: "'bob' cannot have the effort low: it does not think",
  });

  expect(it.ordersOf(lead)).toEqual([]);
  expect(it.choices.lead.effort).toBe("high");
  expect(await it.decided()).not.toHaveProperty("effort");
  await it.choices.set(alice, { effort: "low" });
  await it.choices.set("all", { model: "new", effort: "low" });
});

test("a member that could not be opened with a model does not get it", async () => {
  const it = await openChoices({
    checkMember: async ({ name, model }) => {
      if (name === bob && model === "p/new") throw new TeamError("config-invalid", "No key");
    },
  });

  await expect(it.choices.set("all", { model: "new" })).rejects.toThrow("No key");
  await it.choices.set(lead, { model: "new" });

  expect((await it.choices.list()).map(({ model }) => model)).toEqual(["p/new", "p/new", "p/own"]);
});

test("a choice that cannot be written down is not in force", async () => {
  const it = await openChoices();
  const { roster } = it.store;
  const update = roster.update.bind(roster);
  roster.update = async () => {
    throw new TeamError("write-failed", "The disk is full");
  };

  await expect(it.choices.set(lead, { model: "new" })).rejects.toThrow("The disk is full");
  roster.update = update;

  expect(it.choices.lead.model).toBe("p/lead");
  expect(it.ordersOf(lead)).toEqual([]);
  expect(await it.store.eventsOf("model-set")).toEqual([]);
});

/** A team of the lead, alice, who has everything from it, and bob, who has a model of its own. */
async function openChoices(options: Partial<ModelChoicesOptions> = {}) {
  const { store, members, protocols } = openTestProtocols();
  const handles = new Map([lead, alice, bob].map((name) => [name, new SetMember(name)]));
  for (const handle of handles.values()) members.add(handle);
  const { keeper, hub } = protocols;
  const inherited: Partial<MemberRecord> = { effort: "high", inherits: [...follows] };
  await keeper.upsert({ ...member("alice"), ...inherited, model: "p/lead" });
  await keeper.upsert({ ...member("bob"), ...inherited, inherits: ["effort"], model: "p/own" });
  const choices = new ModelChoices({
    ...{ keeper, hub, living: () => members.living },
    lead: {
      ...{ root: "/repo", cwd: "/repo", model: "p/lead", effort: "high", mode: "default" },
      ...{ rules: [], maxTurns: 10 },
    },
    define: (record, settings) =>
      record ? teammateDefinition(record, settings, []) : leadDefinition(settings),
    resolveModel: async (id) => `p/${id.replace("p/", "")}`,
    effortProblem: async () => undefined,
    checkMember: async () => undefined,
    ...options,
  });
  return {
    ...{ store, choices, handles },
    ordersOf: (name: MemberName) => handles.get(name)?.orders ?? [],
    async record(name: MemberName) {
      return (await keeper.read()).members.find((each) => each.name === name);
    },
    decided: () => keeper.permissions(),
  };
}
