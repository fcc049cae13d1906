import { expect, test } from "vitest";
import { tableDate, tableSource } from "../../src/model/known-models/origin.ts";
import { efforts, modelFacts, OwnModels, outputLimits } from "../../src/model/model-facts.ts";
import { ModelPrice } from "../../src/model/prices.ts";

test.each([
  ["anthropic/claude-sonnet-4-5", 3],
  ["anthropic/claude-sonnet-4-5-20250929", 3],
  ["openai/gpt-5-mini", 0.25],
  ["openai/gpt-5-2025-08-07", 1.25],
  ["google/gemini-2.5-pro", 1.25],
  ["azure/gpt-5", 1.25],
  ["vertex/gemini-2.5-pro", 1.25],
  ["vertex/claude-sonnet-4-5@20250929", 3],
  ["bedrock/eu.anthropic.claude-sonnet-5-5", 2.2],
  ["openrouter/anthropic/claude-sonnet-5.5", 2],
])("%s has a price", async (id, input) => {
  expect((await modelFacts(id)).price).toMatchObject({ input });
});

test("a snapshot with a price of its own has that price", async () => {
  expect((await modelFacts("openai/gpt-4o-2024-05-13")).price?.input).toBe(5);
  expect((await modelFacts("openai/gpt-4o-2024-08-06")).price?.input).toBe(2.5);
});

test.each([
  "openai/gpt-5-huge",
  "openai/gpt-5.99",
  "openai-compatible/gpt-5",
  "anthropic/claude",
  "openai/toString",
  "toString",
  "",
])("of '%s' nothing is known, rather than what a similarly named model has", async (id) => {
  const { price, contextWindow, maxOutput } = await modelFacts(id);

  expect({ price, contextWindow, maxOutput }).toEqual({});
});

test("the limits and abilities of a known model are known", async () => {
  expect(await modelFacts("anthropic/claude-haiku-4-5")).toMatchObject({
    contextWindow: 200_000,
    maxOutput: 64_000,
    images: true,
    reasoning: true,
  });
  expect(await modelFacts("openai/gpt-5-mini")).toMatchObject({
    contextWindow: 272_000,
    efforts: ["minimal", "low", "medium", "high"],
  });
  expect(await modelFacts("openai/gpt-4o")).toMatchObject({ reasoning: false });
});

test.each([
  ["openai/gpt-5.4", 272_000],
  ["openai/gpt-5.5-pro", 272_000],
  ["openai/gpt-6-sol", 272_000],
  ["openrouter/openai/gpt-6-luna", 272_000],
  ["google/gemini-2.5-pro", 200_000],
  ["anthropic/claude-haiku-5-5", 100_000],
  ["anthropic/claude-opus-5-5", 1_000_000],
])("the context of %s ends where long requests cost more: at %i", async (id, window) => {
  expect((await modelFacts(id)).contextWindow).toBe(window);
});

test("a window of the person's own is used as it is, whatever long requests cost", async () => {
  const models = { "openai/gpt-6-sol": { contextWindow: 900_000 } };

  expect((await modelFacts("openai/gpt-6-sol", { models })).contextWindow).toBe(900_000);
});

test("the person's own entries take precedence over ours, and the longest matching key over others", async () => {
  const free = { input: 0, output: 0 };
  const cheap = { input: 1, output: 2 };
  const dear = { input: 5, output: 9 };
  const models = OwnModels.parse({
    "openai-compatible/*": { price: cheap, contextWindow: 32_000, maxOutput: 4_000 },
    "openai-compatible/qwen*": { price: free },
    "openai-compatible/qwen-max": { price: dear },
    "openai/gpt-5-mini": { price: dear },
  });
  const facts = (id: string) => modelFacts(id, { models });

  expect((await facts("openai-compatible/llama")).price).toEqual(cheap);
  expect((await facts("openai-compatible/qwen-coder")).price).toEqual(free);
  expect(await facts("openai-compatible/qwen-max")).toMatchObject({
    price: dear,
    contextWindow: 32_000,
    maxOutput: 4_000,
  });
  expect(await facts("openai/gpt-5-mini")).toMatchObject({
    price: dear,
    contextWindow: 272_000,
    maxOutput: 128_000,
  });
});

test("a provider of the person's own has the models of its family", async () => {
  const key = { keyVariable: "WORK_KEY" };
  const providers = {
    work: { family: "anthropic", ...key },
    gateway: { family: "anthropic", baseUrl: "https://gateway.example", ...key },
  } as const;
  const known = await modelFacts("anthropic/claude-opus-5");

  expect(await modelFacts("work/claude-opus-5", { providers })).toEqual(known);
  expect(await modelFacts("gateway/claude-opus-5", { providers })).toEqual({
    ...known,
    price: undefined,
  });
});

test.each([
  [{ "a/b": { price: { input: 1 } } }, "output"],
  [{ "a/b": { price: { input: -1, output: 1 } } }, "input"],
  [{ "a/b": { price: { input: 1, output: 1, cached: 1 } } }, "cached"],
  [{ "a/b": { contextWindow: 0 } }, "contextWindow"],
  [{ "a/b": { maxOutput: 1.5 } }, "maxOutput"],
])("an invalid entry of the person is refused: %j", (models, where) => {
  expect(JSON.stringify(OwnModels.safeParse(models).error?.issues)).toContain(where);
});

test("the table says of which day it is, and where it comes from", () => {
  expect(tableDate).toMatch(/^20\d\d-\d\d-\d\d$/);
  expect(tableSource).toMatch(/^@earendil-works\/pi-ai \d+\.\d+\.\d+$/);
});

test.each(["anthropic", "openai", "google", "openrouter", "bedrock"])(
  "every row of the table of %s is sound",
  async (provider) => {
    const { models } = await import(`../../src/model/known-models/${provider}.ts`);
    const rows = Object.entries(models);

    expect(rows.length).toBeGreaterThan(15);
    for (const [id, facts] of rows) expect(facts, id).toEqual(soundFacts);
  },
);

const soundFacts = expect.toSatisfy((facts) => {
  const { contextWindow, maxOutput, images, reasoning, price, efforts: levels = [] } = facts;
  return (
    [contextWindow, maxOutput].every((count) => Number.isInteger(count) && count >= 1_000) &&
    [images, reasoning].every((fact) => typeof fact === "boolean") &&
    ModelPrice.optional().safeParse(price).success &&
    (price?.cacheRead ?? 0) <= (price?.input ?? 0) &&
    efforts.filter((level) => levels.includes(level)).length === levels.length
  );
});

test.each([
  [{ maxOutput: 128_000 }, undefined, { usual: 32_000, raised: 128_000 }],
  [{ maxOutput: 16_384 }, undefined, { usual: 16_384, raised: 16_384 }],
  [{ maxOutput: 128_000 }, 64_000, { usual: 64_000, raised: 64_000 }],
  [{ maxOutput: 64_000 }, 100_000, { usual: 64_000, raised: 64_000 }],
  [{}, undefined, { usual: 8_000, raised: 8_000 }],
  [{}, 20_000, { usual: 20_000, raised: 20_000 }],
])("the reply of a model with %j, with %s set, may have %j tokens", (facts, wanted, limits) => {
  expect(outputLimits(facts, wanted)).toEqual(limits);
});
