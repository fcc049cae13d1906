import { expect, test } from "vitest";
import {
  chosenByKey,
  defaultModelId,
  modelByKey,
  namedModels,
  noModel,
  suitableModels,
} from "../../src/model/default-model.ts";
import { modelFacts } from "../../src/model/model-facts.ts";

test("the named model is TROUPE_MODEL, or MODEL_ID of Anthropic, or none", () => {
  expect(defaultModelId({ TROUPE_MODEL: "openai/a", MODEL_ID: "b" })).toBe("openai/a");
  expect(defaultModelId({ MODEL_ID: "b" })).toBe("anthropic/b");
  expect(defaultModelId({ TROUPE_MODEL: "", MODEL_ID: "" })).toBeUndefined();
});

const anthropics = { ANTHROPIC_API_KEY: "a" };
const openAis = { OPENAI_API_KEY: "b" };
const googles = { GEMINI_API_KEY: "c" };

test.each([
  [{ ...googles, ...openAis, ...anthropics }, "anthropic/claude-sonnet-5-5", "ANTHROPIC_API_KEY"],
  [{ ANTHROPIC_AUTH_TOKEN: "t" }, "anthropic/claude-sonnet-5-5", "ANTHROPIC_AUTH_TOKEN"],
  [{ ...googles, ...openAis }, "openai/gpt-6.1-sol", "OPENAI_API_KEY"],
  [{ ...googles, ANTHROPIC_API_KEY: "" }, "google/gemini-4-argon", "GEMINI_API_KEY"],
])("with the keys %j and no model named, %s is chosen", (env, id, variable) => {
  const chosen = modelByKey(env);

  expect(chosen).toEqual({ id, variable });
  expect(chosenByKey({ id, variable })).toContain(`${id} is used, because ${variable} is set`);
});

test("keys of other providers choose no model", () => {
  const env = { OPENROUTER_API_KEY: "a", OPENAI_COMPATIBLE_API_KEY: "b", WORK_KEY: "c" };

  expect(modelByKey(env)).toBeUndefined();
});

test("without any key, the error names the variables and a model of each, and rehearsal", () => {
  for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"]) {
    expect(noModel({}).hint).toContain(name);
  }
  for (const id of [...Object.values(suitableModels), "rehearsal"]) {
    expect(noModel({}).hint).toContain(id);
  }
});

test("a key that chooses no model is named, with a model to ask for", () => {
  const { message, hint } = noModel({ OPENROUTER_API_KEY: "k" });

  expect(message).toBe(
    "No model is chosen: OPENROUTER_API_KEY is set, but its models have to be named",
  );
  expect(hint).toContain(`such as ${namedModels.openrouter} (\`troupe models openrouter/\``);
  expect(hint).toContain("rehearsal");
  expect(noModel({ OPENROUTER_API_KEY: " " }).message).toContain("no key of a provider is set");
});

test("the model of OpenRouter that is suggested is in the table", async () => {
  expect(await modelFacts(namedModels.openrouter)).toMatchObject({ price: { input: 2 } });
});

test.each(Object.values(suitableModels))("%s is in the table, with a price", async (id) => {
  expect(await modelFacts(id)).toMatchObject({ price: { input: 2 }, images: true });
});
