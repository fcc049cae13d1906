import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTable } from "../../scripts/models/facts.ts";
import { sourceDate, sourceModels } from "../../scripts/models/source.ts";
import { originText, tableText } from "../../scripts/models/table-text.ts";

const origin = { source: "@earendil-works/pi-ai 1.2.3", date: "2026-11-10" };

async function tableOf(provider: string) {
  const json = await readFile(join("test/fixtures/model-source", `${provider}.json`), "utf8");
  return makeTable(provider, sourceModels(json));
}

test("a table has a line for each model, with what the source knows of it", async () => {
  const text = tableText("openai", await tableOf("openai"), origin);

  expect(text).toMatchInlineSnapshot(`
    "// Models of openai that take tools, as of 2026-11-10, by @earendil-works/pi-ai 1.2.3.
    // Made by \`npm run models:update\`; what the source has wrong is corrected in scripts/models.
    import type { KnownModels } from "../model-facts.ts";

    export const models: KnownModels = {
      "gpt-4o": { contextWindow: 128000, maxOutput: 16384, price: { input: 2.5, output: 10, cacheRead: 1.25 }, images: true, reasoning: false },
      "gpt-4o-2024-05-13": { contextWindow: 128000, maxOutput: 4096, price: { input: 5, output: 15 }, images: true, reasoning: false },
      "gpt-5-mini": { contextWindow: 272000, maxOutput: 128000, price: { input: 0.25, output: 2, cacheRead: 0.025 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
      "gpt-5.4-pro": { contextWindow: 922000, maxOutput: 128000, price: { input: 30, output: 180, long: { above: 272000, input: 60, output: 270 } }, images: true, reasoning: true, efforts: ["medium", "high", "xhigh"] },
      "gpt-6-sol": { contextWindow: 272000, maxOutput: 128000, price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5, long: { above: 272000, input: 4, output: 15, cacheRead: 0.4, cacheWrite: 5 } }, images: true, reasoning: true, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
    };
    "
  `);
});

test("the same source makes the same file", async () => {
  const texts = [1, 2].map(async () => tableText("openai", await tableOf("openai"), origin));

  const [first, second] = await Promise.all(texts);
  expect(second).toBe(first);
});

test("a snapshot that is no different from its model has no line", async () => {
  const table = await tableOf("anthropic");

  expect(table).toHaveProperty("claude-haiku-4-5");
  expect(table).not.toHaveProperty("claude-haiku-4-5-20251001");
});

test("models that think by a number of tokens have no levels, others have the provider's", async () => {
  const table = await tableOf("anthropic");

  expect(table["claude-haiku-4-5"]).not.toHaveProperty("efforts");
  expect(table["claude-haiku-5-5"]?.efforts).toContain("none");
  expect(table["claude-sonnet-5-5"]?.efforts).toEqual(["low", "medium", "high", "xhigh", "max"]);
});

test("Anthropic's models that the source does not have are added", async () => {
  expect(await tableOf("anthropic")).toHaveProperty("claude-opus-4-1");
});

test("batches and routers are left out, and prices that cannot be stated truly", async () => {
  const table = await tableOf("openrouter");

  expect(Object.keys(table)).toEqual([
    "google/gemini-2.5-flash",
    "google/gemma-4-31b-it:free",
    "qwen/qwen3-coder-flash",
  ]);
  expect(table["google/gemini-2.5-flash"]?.price).not.toHaveProperty("cacheWrite");
  expect(table["google/gemma-4-31b-it:free"]?.price).toEqual({ input: 0, output: 0 });
  expect(table["qwen/qwen3-coder-flash"]).not.toHaveProperty("price");
});

test("a source of another shape is refused", () => {
  const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
  const model = {
    ...{ type: "chat", id: "gpt-7", api: "openai-responses", reasoning: true, input: ["text"] },
    ...{ cost, contextWindow: 1_000, maxTokens: 100 },
  };
  const read = (changed: object) =>
    sourceModels(JSON.stringify({ responses: { "gpt-7": { ...model, ...changed } } }));

  expect(read({})).toMatchObject([{ id: "gpt-7" }]);
  for (const rate of Object.keys(cost)) {
    const wrong = () => read({ cost: { ...cost, [rate]: undefined } });
    expect(wrong).toThrow(new RegExp(`"cost",\\s*"${rate}"`));
  }
});

test("the date is the day on which the source's data was made", () => {
  expect(sourceDate('{"generatedAt":"2026-11-10T12:05:37.628Z"}')).toBe("2026-11-10");
  expect(originText(origin)).toContain('tableDate = "2026-11-10"');
});
