import fc from "fast-check";
import { expect, test } from "vitest";
import { costOf } from "../../src/model/prices.ts";

const nothing = { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0 };

test("each kind of token is billed at its own rate", () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
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

test("tokens that are written to the cache for an hour are billed at their own rate", () => {
  const price = { input: 2, output: 10, cacheWrite: 2.5, cacheWrite1h: 5 };
  const usage = { ...nothing, cache_write_tokens: 3_000_000, cache_write_1h_tokens: 1_000_000 };

  expect(costOf(usage, price)).toBe(10);
  expect(costOf(usage, { input: 2, output: 10, cacheWrite: 2.5 })).toBe(9);
});

test("a long request is billed at the long rates throughout, including cached tokens", () => {
  const price = {
    input: 1,
    output: 10,
    cacheRead: 0.1,
    long: { above: 200_000, input: 2, output: 15, cacheRead: 0.2 },
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

      const cost = costOf(usage, { input: 0.1, output: 0.7, cacheRead: 0.025 });

      expect(BigInt(Math.round(cost * 1e12))).toBe(picoDollars);
    }),
  );
});
