import fc from "fast-check";
import { expect, test } from "vitest";
import { contextWindow, costOf, findPrice, PriceTable } from "../../src/model/prices.ts";

const nothing = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

test("each kind of token is billed at its own rate", () => {
  const price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
  const usage = {
    input_tokens: 1000,
    output_tokens: 100,
    cache_read_tokens: 10_000,
    cache_write_tokens: 2000,
  };

  expect(costOf(usage, price)).toBe(0.015);
  expect(costOf(nothing, price)).toBe(0);
});

test("tokens without a rate are billed as input", () => {
  const usage = { ...nothing, cache_read_tokens: 1_000_000, cache_write_tokens: 1_000_000 };

  expect(costOf(usage, { input: 2, output: 5 })).toBe(4);
});

test("a long request is billed at the long rates throughout, including cached tokens", () => {
  const price = {
    input: 1,
    output: 10,
    cache_read: 0.1,
    long: { above: 200_000, input: 2, output: 15, cache_read: 0.2 },
  };
  const usage = {
    ...nothing,
    input_tokens: 100_000,
    cache_read_tokens: 100_000,
    output_tokens: 1000,
  };

  expect(costOf(usage, price)).toBe(0.12);
  expect(costOf({ ...usage, input_tokens: 100_001 }, price)).toBe(0.235002);
});

test("costs are exact decimals, for any counts", () => {
  const counts = fc.nat(2_000_000);
  fc.assert(
    fc.property(counts, counts, counts, (input_tokens, output_tokens, cache_read_tokens) => {
      const usage = { ...nothing, input_tokens, output_tokens, cache_read_tokens };
      const picoDollars =
        BigInt(input_tokens) * 100_000n +
        BigInt(output_tokens) * 700_000n +
        BigInt(cache_read_tokens) * 25_000n;

      const cost = costOf(usage, { input: 0.1, output: 0.7, cache_read: 0.025 });

      expect(BigInt(Math.round(cost * 1e12))).toBe(picoDollars);
    }),
  );
});

test.each([
  ["anthropic/claude-sonnet-4-5", 3],
  ["anthropic/claude-sonnet-4-5-20250929", 3],
  ["openai/gpt-5-mini", 0.25],
  ["openai/gpt-5-2025-08-07", 1.25],
  ["google/gemini-2.5-pro", 1.25],
])("%s has a price", (id, input) => {
  expect(findPrice(id)).toMatchObject({ input });
});

test.each([
  "openai/gpt-5-pro",
  "openai/gpt-5.99",
  "openai-compatible/gpt-5",
  "anthropic/claude",
  "toString",
  "",
])("'%s' has no price, rather than that of a similarly named model", (id) => {
  expect(findPrice(id)).toBeUndefined();
  expect(contextWindow(id)).toBe(128_000);
});

test("the context window of a known model is known", () => {
  expect(contextWindow("anthropic/claude-haiku-4-5")).toBe(200_000);
  expect(contextWindow("openai/gpt-5-mini")).toBe(272_000);
});

test("the user's own table takes precedence over ours, and its longest matching key over others", () => {
  const free = { input: 0, output: 0 };
  const cheap = { input: 1, output: 2 };
  const dear = { input: 5, output: 9 };
  const table = PriceTable.parse({
    "openai-compatible/*": { price: cheap, context_window: 32_000 },
    "openai-compatible/qwen*": { price: free },
    "openai-compatible/qwen-max": { price: dear },
    "openai/gpt-5-mini": { price: dear },
  });

  expect(findPrice("openai-compatible/llama", table)).toEqual(cheap);
  expect(findPrice("openai-compatible/qwen-coder", table)).toEqual(free);
  expect(findPrice("openai-compatible/qwen-max", table)).toEqual(dear);
  expect(findPrice("openai/gpt-5-mini", table)).toEqual(dear);
  expect(contextWindow("openai-compatible/qwen-max", table)).toBe(32_000);
  expect(contextWindow("openai/gpt-5-mini", table)).toBe(272_000);
});

test.each([
  [{ "a/b": { price: { input: 1 } } }, "output"],
  [{ "a/b": { price: { input: -1, output: 1 } } }, "input"],
  [{ "a/b": { price: { input: 1, output: 1, cached: 1 } } }, "cached"],
  [{ "a/b": { context_window: 0 } }, "context_window"],
])("an invalid table of the user is refused: %j", (table, where) => {
  expect(JSON.stringify(PriceTable.safeParse(table).error?.issues)).toContain(where);
});
