import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { parseJson } from "../../../src/lib/json.ts";
import { tableDate } from "../../../src/model/known-models/origin.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { troupeIn } from "../troupe.ts";

const Listed = z.object({
  table_date: z.string(),
  table_source: z.string(),
  models: z.array(z.looseObject({ id: z.string(), is_ready: z.boolean() })),
});

async function world(settings: object = {}, env: Record<string, string> = {}) {
  const directory = await temporaryDirectory();
  await mkdir(join(directory.path, "troupe"));
  await writeFile(join(directory.path, "troupe/config.json"), JSON.stringify(settings));
  const here = { root: directory.path, env: { XDG_CONFIG_HOME: directory.path, ...env } };
  return {
    models: (...argv: string[]) => troupeIn(here, "models", ...argv),
    async listed(...argv: string[]) {
      const { out } = await troupeIn(here, "models", "--json", ...argv);
      return parseJson(out.join("\n"), Listed, "The list");
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

test("models are found by words of their names, with limits, prices, abilities and the table's date", async () => {
  await using it = await world({}, { OPENAI_API_KEY: "x" });

  const { code, out } = await it.models("openai/gpt-6 luna");

  expect(code).toBe(0);
  expect(out).toHaveLength(6);
  expect(out[1]).toMatch(
    /^\* {2}openai\/gpt-6-luna +272k +128k +\$0\.1\+ +\$0\.5\+ +\$0\.01 +images, thinks \(none low/,
  );
  expect(out[2]).toMatch(/^ {3}openrouter\/openai\/gpt-6-luna /);
  expect(out.at(-1)).toContain(`as of ${tableDate}`);
});

test("without a word, the models are listed whose provider has its key", async () => {
  await using it = await world({}, { GEMINI_API_KEY: "x" });

  const { models } = await it.listed();

  expect(models.length).toBeGreaterThan(10);
  const others = models.filter(({ id }) => !id.startsWith("google/"));
  expect(others.map(({ id }) => id)).toEqual(["rehearsal"]);
  expect(models.every(({ is_ready }) => is_ready)).toBe(true);
});

test("without any key, all models are listed", async () => {
  await using it = await world();

  const ids = (await it.listed()).models.map(({ id }) => id);

  for (const provider of ["anthropic", "openai", "google", "openrouter"]) {
    expect(ids.some((id) => id.startsWith(`${provider}/`))).toBe(true);
  }
});

test("the person's own entries and providers are listed", async () => {
  await using it = await world({
    models: { "openai-compatible/qwen*": { price: { input: 1, output: 2 }, "max-output": 5 } },
    providers: { work: { family: "anthropic", "key-variable": "WORK_KEY" } },
  });

  // Without OPENAI_COMPATIBLE_BASE_URL none of them can be asked.
  expect((await it.listed("qwen*")).models).toEqual([
    {
      id: "openai-compatible/qwen*",
      is_ready: false,
      context_window: null,
      max_output: 5,
      price: { input: 1, output: 2, cache_read: null, cache_write: null, long: null },
      images: null,
      reasoning: null,
      efforts: null,
    },
  ]);
  expect((await it.listed("work/ opus-5-5")).models).toMatchObject([
    { id: "work/claude-opus-5-5", is_ready: false, price: { input: 4 }, images: true },
  ]);
});

test("if nothing is found, similar names are, and the exit code is 1", async () => {
  await using it = await world();

  const { code, out } = await it.models("claude-sonet-5");

  expect(code).toBe(1);
  expect(out).toEqual([expect.stringContaining("anthropic/claude-sonnet-5")]);
});

test.each([
  { id: "anthropic/claude-opus-5-5", efforts: ["low", "medium", "high", "max"] },
  // Its own most is `high`, which `max` stands for.
  { id: "openai/gpt-5", efforts: ["low", "medium", "high", "max"] },
  // It takes a number of tokens.
  { id: "anthropic/claude-opus-4-5", efforts: ["none", "low", "medium", "high", "max"] },
  { id: "google/gemini-2.5-pro", efforts: ["low", "medium", "high", "max"] },
  { id: "vertex/gemini-2.5-pro", efforts: ["low", "medium", "high", "max"] },
  { id: "openai/gpt-4o", efforts: null },
])("the efforts of $id are those that can be asked for", async ({ id, efforts }) => {
  await using it = await world();

  const { models } = await it.listed(id);
  const { out } = await it.models(id);

  expect(models.find((model) => model.id === id)).toMatchObject({ efforts });
  const line = out.find((each) => each.trim().startsWith(`${id} `));
  if (efforts) expect(line).toMatch(new RegExp(`thinks \\(${efforts.join(" ")}\\)$`));
  else expect(line).not.toContain("thinks");
});

test("of Ollama it is said which models can be used", async () => {
  await using it = await world();

  const { code, out } = await it.models("ollama");

  expect([code, out]).toEqual([1, [expect.stringContaining("`ollama list` shows them")]]);
});
