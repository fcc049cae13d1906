import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { lead } from "../../src/protocol/ids.ts";
import type { ModelSetting } from "../../src/team/protocols/model-choices.ts";
import type { Team } from "../../src/team/team.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { coder } from "../e2e/promises/scenes.ts";
import { TeamOnWire, Watched } from "../support/team-on-wire.ts";

const claude = "anthropic/claude-sonnet-5-5";
const gpt = "openai/gpt-6-sol";
const gemini = "google/gemini-3.5-flash";

const follows = ["model", "effort"];

/** A team at rest: alice follows the lead, bob has a model and an effort of his own. */
async function openTeam(wire: TeamOnWire): Promise<Team> {
  const team = await wire.open({ model: claude });
  await team.spawn(coder("alice"));
  await team.spawn({ ...coder("bob"), model: gpt, effort: "low" });
  await team.quiet();
  return team;
}

const parts = { lead: [says("Noted.")], alice: [says("Ready.")], bob: [says("Ready.")] };

async function ask(team: Team, ...names: string[]): Promise<void> {
  for (const name of names) await team.message(name, "Who answers?");
  await team.quiet();
}

test("P40 the lead's model is that of teammates that follow it, and of no others; a restart keeps it", async () => {
  await using wire = await TeamOnWire.start(parts);
  const team = await openTeam(wire);
  const watched = new Watched(team);
  const before = wire.requestsOf("lead").length;

  await team.setModel(lead, { model: gpt, effort: "high" });

  const chosen = [
    { member: "lead", model: gpt, effort: "high", follows: [] },
    { member: "alice", model: gpt, effort: "high", follows },
    { member: "bob", model: gpt, effort: "low", follows: [] },
  ];
  expect(await team.models()).toEqual(chosen);
  await ask(team, "lead", "alice");
  const summary = await team.quiet();
  expect(summary.members[0]).toMatchObject({ model: gpt, answered_by: gpt });
  await team.close();
  const told = watched.events.filter(({ type }) => type === "model-set");
  expect(told).toMatchObject([
    { member: "lead", model: gpt, effort: "high" },
    { member: "alice", model: gpt, effort: "high" },
  ]);

  const again = await wire.open({ model: undefined, defaultModel: claude, defaultEffort: "low" });
  expect(await again.models()).toEqual(chosen);
  await ask(again, "lead");

  const asked = wire.requestsOf("lead").slice(before);
  expect(asked.map(({ api }) => api)).not.toContain("anthropic");
  expect(asked.map(({ body }) => body.reasoning)).toMatchObject(
    asked.map(() => ({ effort: "high" })),
  );
  expect(wire.requestsOf("alice").map(({ api }) => api)).toEqual(["anthropic", "openai-responses"]);
});

test("a teammate that is given a model has it from then on, until all have the lead's again", async () => {
  await using wire = await TeamOnWire.start(parts);
  const team = await openTeam(wire);

  await team.setModel("alice", { model: `${gemini},${gpt}` });
  await team.setModel(lead, { model: gpt });
  expect(await team.models()).toEqual([
    { member: "lead", model: gpt, effort: undefined, follows: [] },
    { member: "alice", model: `${gemini},${gpt}`, effort: undefined, follows: ["effort"] },
    { member: "bob", model: gpt, effort: "low", follows: [] },
  ]);
  await ask(team, "alice");
  await team.close();
  const again = await wire.open({ model: claude });
  await ask(again, "alice");
  await again.setModel("all", { model: gemini });
  await again.setModel("all", { effort: "default" });

  expect(wire.requestsOf("alice").map(({ api }) => api)).toEqual(["anthropic", "google", "google"]);
  expect(await again.models()).toEqual(
    ["lead", "alice", "bob"].map((member) => ({
      ...{ member, model: gemini, effort: undefined },
      follows: member === lead ? [] : follows,
    })),
  );
});

test("an effort that a teammate is freed of stays so beside the lead's, also when it is spawned again", async () => {
  await using wire = await TeamOnWire.start(parts);
  const team = await openTeam(wire);
  await team.setModel("alice", { effort: "default" });
  await team.setModel(lead, { effort: "max" });

  await team.spawn(coder("alice"));
  await team.quiet();
  await team.close();
  const again = await wire.open({ model: claude });

  expect((await again.models())[1]).toEqual({
    ...{ member: "alice", model: claude, effort: undefined, follows: ["model"] },
  });
});

test("a stated model and effort win over those that were set, for that start", async () => {
  await using wire = await TeamOnWire.start(parts);
  const team = await openTeam(wire);
  await team.setModel(lead, { model: gpt, effort: "max" });
  await team.setMode(lead, "plan");
  await team.close();
  const stated = await wire.open({ model: gemini, effort: "low" });
  expect((await stated.models()).slice(0, 2)).toMatchObject([
    { model: gemini, effort: "low" },
    { member: "alice", model: gemini, effort: "low" },
  ]);
  await stated.close();

  const again = await wire.open({ model: undefined, defaultModel: claude });
  expect((await again.models())[0]).toMatchObject({ model: gpt, effort: "max" });
  await again.setModel(lead, { effort: "default" });
  await again.close();

  const last = await wire.open({ model: undefined, defaultModel: claude, defaultEffort: "low" });
  expect((await last.models())[0]).toMatchObject({ model: gpt, effort: undefined });
  expect(await last.modes()).toMatchObject([{ mode: "plan" }, {}, {}]);
});

test("P23 a start without any other model takes the one that was set, and no other if that cannot be had", async () => {
  await using wire = await TeamOnWire.start(parts);
  const team = await wire.open({ model: claude });
  await team.setModel(lead, { model: "rehearsal" });
  await team.close();
  const env = {};
  const without = { model: undefined, env };
  const again = await wire.open(without);
  expect(await again.models()).toMatchObject([{ model: "rehearsal" }]);
  await again.close();

  const keyed = await wire.open({ model: claude });
  await keyed.setModel(lead, { model: gpt });
  await keyed.close();
  await expect(
    wire.open({ model: undefined, defaultModel: "rehearsal", env }),
  ).rejects.toMatchObject({
    code: "provider-key-missing",
    hint: expect.stringContaining("It was set while the team ran."),
  });
  await expect(wire.open({ ...without, fresh: true })).rejects.toMatchObject({
    code: "model-missing",
    message: expect.stringContaining("No model is chosen"),
  });
});

test("P23 a start that takes its model by a key says so, and one with a stated model does not", async () => {
  await using wire = await TeamOnWire.start(parts);
  await (await wire.open()).close();
  expect(wire.warnings).toEqual([]);

  await wire.open({ model: undefined });

  expect(wire.warnings).toEqual([expect.stringMatching(/^No model is named, so anthropic\//)]);
});

test.each<[string, ModelSetting, object]>([
  ["lead", { model: "nobody/x" }, { message: expect.stringContaining("nobody") }],
  ["lead", { model: "mistral-ish" }, { hint: expect.stringContaining("Models that work") }],
  ["bob", { model: "openrouter/x/y" }, { hint: expect.stringContaining("OPENROUTER_API_KEY") }],
  ["lead", { model: `${gpt},${gpt}` }, { message: expect.stringContaining("twice") }],
  ["lead", { model: `${gpt},` }, { message: expect.stringContaining("empty place") }],
  [
    "bob",
    { model: "rehearsal" },
    { message: expect.stringContaining("'bob' cannot have the effort low") },
  ],
  [
    "all",
    { effort: "none", model: "openai/o3" },
    { message: expect.stringContaining("openai/o3 takes") },
  ],
  [
    "lead",
    { model: "openai/no-such-model" },
    { message: expect.stringContaining("no known price") },
  ],
  ["carol", { model: gpt }, { code: "member-unknown" }],
  ["lead", {}, { message: "setModel needs a model, an effort or both" }],
])("P23 what %s cannot have is refused, and nothing changes: %j", async (name, setting, error) => {
  await using wire = await TeamOnWire.start(parts);
  const team = await wire.open({ model: claude, budget: { maxCostUsd: 5 } });
  await team.spawn({ ...coder("bob"), model: gpt, effort: "low" });
  await team.quiet();
  const watched = new Watched(team);
  const before = [await team.models(), await wire.stored("config.json")];

  await expect(team.setModel(name, setting)).rejects.toMatchObject(error);

  expect([await team.models(), await wire.stored("config.json")]).toEqual(before);
  await ask(team, "bob");
  await team.close();
  expect(wire.requestsOf("bob").at(-1)?.api).toBe("openai-responses");
  expect(watched.events.filter(({ type }) => type === "model-set")).toEqual([]);
});

test("a member that has ended is given nothing", async () => {
  await using wire = await TeamOnWire.start(parts);
  const team = await openTeam(wire);
  await team.stop("bob");

  await expect(team.setModel("bob", { model: claude })).rejects.toMatchObject({
    code: "member-ended",
    hint: "Running: lead, alice.",
  });
});

test("P18 a request that is on its way is not changed, and each call is on the bill of the model that answered", async () => {
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  let go = () => {};
  const isSet = new Promise<void>((resolve) => {
    go = resolve;
  });
  await using wire = await TeamOnWire.start({
    lead: [
      async () => {
        isAsked();
        await isSet;
        return reply([calls("read_file", { path: "none" })]);
      },
      says("It is done."),
    ],
  });
  const team = await wire.open({ model: claude });
  await team.prompt("Go.");
  await asked;
  await team.setModel(lead, { model: gpt });
  go();
  const { result, members } = await team.quiet();

  expect(result).toBe("It is done.");
  expect(members[0]).toMatchObject({ model: gpt, answered_by: gpt });
  const bill = (await wire.stored("usage.jsonl")).trim().split("\n");
  const Line = z.object({ model: z.string() });
  expect(bill.map((line) => Line.parse(JSON.parse(line)).model)).toEqual([claude, gpt]);
  expect(wire.server.refusals).toEqual([]);
});

test("a hook of the program sets the model for the very request", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Over.")] });
  const opened: Team[] = [];
  const team = await wire.open({
    model: claude,
    hooks: { beforeRequest: async () => void (await opened[0]?.setModel(lead, { model: gpt })) },
  });
  opened.push(team);
  await team.prompt("Go.");
  await team.quiet();

  expect(wire.requestsOf("lead").map(({ api }) => api)).toEqual(["openai-responses"]);
});

test("P08 a model with a smaller window has the conversation summarized first", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([says("One.")], { usage: { input_tokens: 60_000 } }),
      says("The gist."),
      says("Two."),
    ],
  });
  const team = await wire.open({ model: claude, models: { [gpt]: { contextWindow: 40_000 } } });
  await team.prompt("A long prompt.");
  await team.quiet();

  await team.setModel(lead, { model: gpt });
  await team.prompt("Go on.");
  await team.quiet();

  const [, summary, last] = wire.requestsOf("lead");
  expect(JSON.stringify(summary?.body)).toContain("Your context is nearly full");
  expect(wire.shownTo("lead")).toContain("The gist.");
  expect(last?.api).toBe("openai-responses");
});

test("P37 a model that somebody wrote into the roster does not count", async () => {
  await using wire = await TeamOnWire.start(parts);
  const team = await openTeam(wire);
  await team.setModel(lead, { model: gpt });
  await team.close();
  for (const name of ["config.json", "config.last-good.json"]) {
    const path = join(wire.teamDirectory, name);
    const record = JSON.parse(await readFile(path, "utf8"));
    const permissions = { ...record.permissions, model: gemini };
    await writeFile(path, JSON.stringify({ ...record, permissions }));
  }

  const again = await wire.open({ model: undefined, defaultModel: claude });

  expect((await again.models())[0]).toMatchObject({ model: claude });
});

test("a model that is chosen by the key that is set is told at the start, and one that was named is not", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Noted.")] });

  await (await wire.open({ model: undefined, defaultModel: "anthropic/scripted" })).close();
  expect(wire.warnings).toEqual([]);
  await wire.open({ model: undefined });

  expect(wire.warnings).toEqual([expect.stringMatching(/^No model is named, so anthropic\//)]);
});
