import { expect, test } from "vitest";
import { resolveModel, similarModels } from "../../src/model/resolve-model.ts";

const env = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "b", GOOGLE_API_KEY: "c" };

test.each([
  ["claude-sonnet-5-5", "anthropic/claude-sonnet-5-5"],
  ["gpt-6-luna", "openai/gpt-6-luna"],
  ["gpt-6-luna, claude-sonnet-5-5", "openai/gpt-6-luna,anthropic/claude-sonnet-5-5"],
  ["gemini-2.5-pro", "google/gemini-2.5-pro"],
  ["anthropic/claude-of-tomorrow", "anthropic/claude-of-tomorrow"],
  ["rehearsal", "rehearsal"],
  ["replay:run.jsonl", "replay:run.jsonl"],
])("%s means %s", async (id, whole) => {
  expect(await resolveModel(id, { env })).toBe(whole);
});

test.each([
  ["claude-sonet-5-5", "anthropic/claude-sonnet-5-5"],
  ["antropic/claude-haiku-4-5", "anthropic/claude-haiku-4-5"],
  ["gpt-6", "openai/gpt-6-sol"],
  ["toString", "anthropic/claude-sonnet-5-5, openai/gpt-6.1-sol, google/gemini-4-argon"],
])("'%s' is refused, and %s is named", async (id, named) => {
  const resolving = resolveModel(id, { env });

  await expect(resolving).rejects.toMatchObject({
    code: "config-invalid",
    hint: expect.stringContaining(named),
  });
});

test("a missing key is told with a model whose key is set", async () => {
  const keys = { GOOGLE_API_KEY: "c" };

  await expect(resolveModel("claude-sonnet-5-5", { env: keys })).rejects.toMatchObject({
    code: "provider-key-missing",
    hint: "Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, or choose another model, such as google/gemini-4-argon (GOOGLE_API_KEY is set).",
  });
  await expect(resolveModel("openai/gpt-5", { env: {} })).rejects.toMatchObject({
    hint: expect.stringContaining("rehearsal, which needs no key"),
  });
});

test("of a provider's models only its own are named, and never the one that was asked for", async () => {
  expect(await similarModels("openai/gpt-5")).toMatch(/openai\/gpt-5(?!,|\.$)/);
  expect(await similarModels("openai/gpt-5")).not.toMatch(/openai\/gpt-5[,.]?( |$)/);
  expect(await similarModels("google/claude-sonnet-5-5")).toBe(
    "Models that work: google/gemini-4-argon.",
  );
});

test.each([
  ["anthropic/claude-opus-99", "anthropic/claude-opus-5-5, anthropic/claude-opus-5, "],
  ["gpt-99", "openai/gpt-6.1-sol, openai/gpt-6.1-terra, "],
  ["sonnet", "anthropic/claude-sonnet-5-5, anthropic/claude-sonnet-5, "],
  ["claude", "anthropic/claude-sonnet-5-5, anthropic/claude-"],
  ["gemini", "google/gemini-4-argon, google/gemini-3.8-flash, "],
])("for %s the newest of its family are named first", async (id, named) => {
  expect(await similarModels(id)).toContain(`similar names: ${named}`);
});

test("a model of OpenRouter is compared with OpenRouter's only", async () => {
  expect(await similarModels("openrouter/foo/bar")).toBe(
    "`troupe models openrouter` lists the known ones.",
  );
  expect(await similarModels("openrouter/anthropic/claude-sonet-5")).toMatch(
    /similar names: openrouter\/anthropic\/claude-sonnet-5/,
  );
});

test("of a local server no other models are named, and Ollama's are those that were pulled", async () => {
  expect(await similarModels("ollama/qwen9")).toContain("`ollama list` shows them");
  expect(await similarModels("ollama")).toContain("`ollama pull <model>`");
  expect(await similarModels("lmstudio/qwen9")).toContain("`troupe doctor`");
  expect(await similarModels("lmstudio/qwen9")).not.toContain("claude");
});

test("a wrong base URL is told without other models", async () => {
  const wrong = { ...env, ANTHROPIC_BASE_URL: "localhost" };

  const error = await resolveModel("anthropic/claude-sonnet-5-5", { env: wrong }).catch((e) => e);

  expect(error).toMatchObject({ message: "ANTHROPIC_BASE_URL is not the base URL of an API" });
  expect(error.hint).not.toContain("odels");
});
