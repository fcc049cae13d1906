import { expect, test } from "vitest";
import { says } from "../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

const known = "anthropic/claude-sonnet-5-5";

test.each([
  [{ model: known }, 32_000],
  [{ model: known, maxOutputTokens: 64_000 }, 64_000],
  [{ model: known, models: { [known]: { maxOutput: 20_000 } } }, 20_000],
  [{ model: "anthropic/new" }, 8_000],
  [{ model: "anthropic/new", models: { "anthropic/n*": { maxOutput: 16_000 } } }, 16_000],
])("with the options %j a reply may have %i tokens", async (options, tokens) => {
  await using wire = await TeamOnWire.start({ lead: [says("Hello.")] });
  const team = await wire.open(options);

  await team.prompt("Hi.");
  await team.quiet();

  expect(wire.server.requests[0]?.body).toMatchObject({ max_tokens: tokens });
});

test("what is assumed of an unknown model is told once", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Hello.")], alice: [says("Done.")] });
  const team = await wire.open({ model: "anthropic/new", maxOutputTokens: 9_000 });

  await team.spawn({ name: "alice", role: "coder", prompt: "Begin." });
  await team.quiet();

  expect(wire.warnings).toEqual([
    'anthropic/new is not in the table of models. Assumed are a context window of 128000 tokens, replies of up to 9000, no price; what you know of it can be set under "models".',
  ]);
});

test("for a name that may be a slip, the known names like it are told", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Hello.")] });
  const models = { "anthropic/claude-sonet-5": { contextWindow: 50_000 } };

  const first = await wire.open({ model: "anthropic/claude-sonet-5-5" });
  await first.close();
  expect(wire.warnings).toEqual([
    expect.stringMatching(
      /^anthropic\/claude-sonet-5-5 is not in the table .* Known models with similar names: anthropic\/claude-sonnet-5-5,/,
    ),
  ]);
  wire.warnings.length = 0;
  await wire.open({ model: "anthropic/claude-sonet-5", models });
  expect(wire.warnings).toEqual([expect.not.stringContaining("similar")]);
});

test("what an entry of the person leaves out is named as that", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Hello.")] });
  const models = { "anthropic/new": { contextWindow: 50_000 } };
  const team = await wire.open({ model: "anthropic/new", models });

  await team.prompt("Hi.");
  await team.quiet();

  expect(wire.warnings).toEqual([
    'Your entry for anthropic/new under "models" leaves out what the table does not know either. Assumed are replies of up to 8000, no price.',
  ]);
});

test("of a known model, and of one that the person has described, nothing is assumed", async () => {
  await using wire = await TeamOnWire.start({ lead: [says("Hello.")], alice: [says("Done.")] });
  const described = { contextWindow: 50_000, maxOutput: 5_000 };
  const team = await wire.open({ model: known, models: { "anthropic/new": described } });

  await team.spawn({ name: "alice", role: "coder", prompt: "Begin.", model: "anthropic/new" });
  await team.quiet();

  expect(wire.warnings).toEqual([]);
});
