import { expect, test } from "vitest";
import type { Model } from "../../../src/model/model.ts";
import { UsageRecord } from "../../../src/protocol/usage.ts";
import { ManualClock } from "../../../src/testing/manual-clock.ts";
import { type ScriptedAnswer, status } from "../../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../../src/testing/provider-server/provider-api.ts";
import { calls, fails, reply, ScriptedModel, says } from "../../../src/testing/scripted-model.ts";
import { teamPlace } from "../../support/team.ts";
import { shownIn, TeamOnWire, Watched } from "../../support/team-on-wire.ts";
import { spawns } from "./scenes.ts";

const claude = "anthropic/claude-sonnet-5";
const gpt = "openai/gpt-6-sol";
const both = `${claude},${gpt}`;

/** Refuses while `isDown` says so, for more than the minute that is waited. */
function unless(isDown: () => boolean, answer: () => ScriptedAnswer) {
  return ({ api }: ProviderRequest): ScriptedAnswer =>
    api === "anthropic" && isDown() ? status(529, undefined, { "retry-after": "90" }) : answer();
}

test("P23 an overloaded model is replaced within the request, for all members, and everybody can see it", async () => {
  let isDown = false;
  const down = () => isDown;
  await using wire = await TeamOnWire.start({
    lead: [
      unless(down, () => {
        isDown = true;
        return reply([spawns("alice"), calls("wait_for_teammates", {})]);
      }),
      unless(down, () => says("It is done.")),
    ],
    alice: [unless(down, () => says("I did it."))],
  });
  const team = await wire.open({ model: both });
  const watched = new Watched(team);
  await team.prompt("Go.");
  const summary = await team.quiet();

  expect(summary.result).toBe("It is done.");
  const reason = "the provider is overloaded and asks for a pause";
  const changes = watched.events.filter(({ type }) => type === "model-change");
  expect(changes).toMatchObject(
    ["alice", "lead"].map((member) => ({ member, from: claude, to: gpt, reason })),
  );
  const details = watched.events.flatMap((event) =>
    event.type === "member-change" && event.status === "working" ? (event.detail ?? []) : [],
  );
  expect(details).toContain(`${gpt} answers instead of ${claude}`);
  expect(summary.members).toMatchObject([
    { name: "lead", model: both, answered_by: gpt },
    { name: "alice", model: both, answered_by: gpt },
  ]);
  // On the bill is the model that answered, at its own price.
  const lines = (await wire.stored("usage.jsonl")).trim().split("\n");
  const records = lines.map((line) => UsageRecord.parse(JSON.parse(line)));
  expect(records.map(({ member, model }) => [member, model])).toEqual([
    ["lead", claude],
    ["alice", gpt],
    ["lead", gpt],
  ]);
  expect(records.every(({ cost_usd }) => (cost_usd ?? 0) > 0)).toBe(true);
  const profiles = (await wire.transcriptOf("lead")).flatMap((entry) =>
    entry.type === "profile" ? entry.model : [],
  );
  expect(profiles).toEqual([both, gpt]);
  expect(wire.server.refusals).toEqual([]);
});

test("P23 the first model answers again after a rest, which is told, and has the whole conversation", async () => {
  let isDown = true;
  await using wire = await TeamOnWire.start({
    lead: [
      unless(
        () => isDown,
        () => says("One."),
      ),
    ],
  });
  const clock = new ManualClock();
  const onWarning = (message: string) => void wire.warnings.push(message);
  const team = await wire.open({ model: both, place: teamPlace(wire.root, { clock, onWarning }) });
  const watched = new Watched(team);
  const prompt = async (text: string) => {
    await team.prompt(text);
    await team.quiet();
  };
  await prompt("First.");
  isDown = false;
  await prompt("Second.");
  clock.advance(5 * 60_000);
  await prompt("Third.");

  expect(wire.requestsOf("lead").map(({ api }) => api)).toEqual([
    ...["anthropic", "openai-responses", "openai-responses", "anthropic"],
  ]);
  expect(watched.events.filter(({ type }) => type === "model-change")).toMatchObject([
    { from: claude, to: gpt },
    { from: gpt, to: claude, reason: `${claude} is available again` },
  ]);
  for (const text of ["First.", "Second.", "Third."]) expect(wire.shownTo("lead")).toContain(text);
  expect(wire.server.refusals).toEqual([]);
});

test("P23 a key that is refused ends the run, and the other provider gets nothing", async () => {
  await using wire = await TeamOnWire.start({
    lead: [({ api }) => (api === "anthropic" ? status(401) : says("Never said."))],
  });
  const team = await wire.open({ model: both });
  await team.prompt("Go.");
  const { end } = await team.quiet();

  expect(end).toMatchObject({ outcome: "failed" });
  expect(wire.server.requests.map(({ api }) => api)).toEqual(["anthropic"]);
});

test("P18 money is limited only if the price of every model of the list is known", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Over.")] });

  await expect(
    wire.open({ model: `${claude},openai/no-such-model`, budget: { maxCostUsd: 1 } }),
  ).rejects.toMatchObject({
    code: "config-invalid",
    message: "The cost is limited, but openai/no-such-model has no known price",
  });
});

test("models of the library's user stand in for each other, too, and the smaller window counts", async () => {
  const overloaded = { kind: "overloaded" as const, message: "529", retryAfterMs: 90_000 };
  const one = reply([says("One.")], { usage: { input_tokens: 39_000 } });
  const large = new ScriptedModel([one, fails(overloaded)], { id: "large" });
  const small = new ScriptedModel([says("A summary."), says("Two.")], { id: "small" });
  const own: Record<string, Model> = { large, small };
  await using wire = await TeamOnWire.start({});
  const team = await wire.open({
    model: "large,small",
    models: { large: { contextWindow: 1_000_000 }, small: { contextWindow: 40_000 } },
    openModel: (id) => own[id] ?? new ScriptedModel([]),
  });
  await team.prompt("A long prompt.");
  await team.quiet();
  await team.prompt("Go on.");
  const summary = await team.quiet();

  expect(summary.result).toBe("Two.");
  expect(summary.members[0]).toMatchObject({ model: "large,small", answered_by: "small" });
  const texts = small.requests.map(({ conversation }) => JSON.stringify(conversation));
  expect(texts[0]).toContain("Your context is nearly full");
  expect(texts[1]).not.toContain("A long prompt");
});

test("a teammate can have a list of its own", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      reply([
        calls("spawn_teammate", { name: "alice", role: "x", prompt: "Go.", model: both }),
        calls("wait_for_teammates", {}),
      ]),
      says("It is done."),
    ],
    alice: [
      unless(
        () => true,
        () => says("I did it."),
      ),
    ],
  });
  const team = await wire.open({ model: gpt });
  await team.prompt("Go.");
  const { members } = await team.quiet();

  expect(members[1]).toMatchObject({ model: both, answered_by: gpt, outcome: "done" });
  expect(shownIn(wire.requestsOf("lead")[1])).toContain("I did it.");
});
