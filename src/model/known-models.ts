import type { Price, PriceTable, Rates } from "./prices.ts";

/**
 * Prices of the providers' lists of November 2026, in dollars per million tokens, for ordinary
 * requests. A model whose lists disagree, or whose price ends on a known day, is left out: no price
 * is better than a wrong one, and the user's own table can add it.
 */
export const knownModels: PriceTable = {
  rehearsal: { price: { input: 0, output: 0 }, context_window: 128_000 },
  ...models("anthropic", 1_000_000, {
    "claude-fable-5-1": claude(10, 50, 0.25),
    "claude-mythos-5-1": claude(10, 50, 0.25),
    "claude-fable-5": claude(10, 50, 1),
    "claude-mythos-5": claude(10, 50, 1),
    "claude-opus-5-5": claude(4, 20, 0.2),
    "claude-opus-5": claude(5, 25, 0.5),
    "claude-opus-4-8": claude(5, 25, 0.5),
    "claude-opus-4-7": claude(5, 25, 0.5),
    "claude-opus-4-6": claude(5, 25, 0.5),
    "claude-sonnet-5-5": claude(2, 10, 0.1),
    "claude-sonnet-5": claude(2, 10, 0.2),
    "claude-sonnet-4-6": claude(3, 15, 0.3),
    "claude-haiku-5-5": {
      ...claude(0.1, 0.5, 0.01),
      long: { above: 100_000, ...claude(0.5, 2.5, 0.05) },
    },
  }),
  ...models("anthropic", 200_000, {
    "claude-opus-4-5": claude(5, 25, 0.5),
    "claude-opus-4-1": claude(15, 75, 1.5),
    "claude-opus-4-0": claude(15, 75, 1.5),
    "claude-opus-4": claude(15, 75, 1.5),
    "claude-sonnet-4-5": claude(3, 15, 0.3),
    "claude-sonnet-4-0": claude(3, 15, 0.3),
    "claude-sonnet-4": claude(3, 15, 0.3),
    "claude-haiku-4-5": claude(1, 5, 0.1),
  }),
  // The window is what a request may hold: the providers count the reply apart from it.
  ...models("openai", 922_000, {
    "gpt-6.1-sol": gpt({ input: 2, output: 10, cache_read: 0.1, cache_write: 2.5 }),
    "gpt-6-astra": gpt({ input: 10, output: 50, cache_read: 1, cache_write: 12.5 }),
    "gpt-6-sol": gpt({ input: 2, output: 10, cache_read: 0.2, cache_write: 2.5 }),
    "gpt-6-luna": gpt({ input: 0.1, output: 0.5, cache_read: 0.01, cache_write: 0.125 }),
    "gpt-5.6-terra": gpt({ input: 2, output: 12, cache_read: 0.2, cache_write: 2.5 }),
    "gpt-5.6-luna": gpt({ input: 0.2, output: 1.2, cache_read: 0.02, cache_write: 0.25 }),
    "gpt-5.5": gpt({ input: 5, output: 30, cache_read: 0.5 }),
    "gpt-5.4": gpt({ input: 2.5, output: 15, cache_read: 0.25 }),
  }),
  ...models("openai", 272_000, {
    "gpt-5.4-mini": { input: 0.75, output: 4.5, cache_read: 0.075 },
    "gpt-5.4-nano": { input: 0.2, output: 1.25, cache_read: 0.02 },
    "gpt-5.2": { input: 1.75, output: 14, cache_read: 0.175 },
    "gpt-5.1": { input: 1.25, output: 10, cache_read: 0.125 },
    "gpt-5": { input: 1.25, output: 10, cache_read: 0.125 },
    "gpt-5-mini": { input: 0.25, output: 2, cache_read: 0.025 },
    "gpt-5-nano": { input: 0.05, output: 0.4, cache_read: 0.005 },
  }),
  ...models("openai", 1_047_576, {
    "gpt-4.1": { input: 2, output: 8, cache_read: 0.5 },
    "gpt-4.1-mini": { input: 0.4, output: 1.6, cache_read: 0.1 },
    "gpt-4.1-nano": { input: 0.1, output: 0.4, cache_read: 0.025 },
  }),
  ...models("openai", 200_000, {
    o3: { input: 2, output: 8, cache_read: 0.5 },
    "o4-mini": { input: 1.1, output: 4.4, cache_read: 0.275 },
  }),
  ...models("openai", 128_000, {
    "gpt-4o": { input: 2.5, output: 10, cache_read: 1.25 },
    "gpt-4o-mini": { input: 0.15, output: 0.6, cache_read: 0.075 },
  }),
  ...models("google", 1_048_576, {
    "gemini-3.5-flash": { input: 1.5, output: 9, cache_read: 0.15 },
    "gemini-3.1-pro-preview": {
      input: 2,
      output: 12,
      cache_read: 0.2,
      long: { above: 200_000, input: 4, output: 18, cache_read: 0.4 },
    },
    "gemini-3.1-flash-lite": { input: 0.25, output: 1.5, cache_read: 0.025 },
    "gemini-3-flash-preview": { input: 0.5, output: 3, cache_read: 0.05 },
    "gemini-2.5-pro": {
      input: 1.25,
      output: 10,
      cache_read: 0.125,
      long: { above: 200_000, input: 2.5, output: 15, cache_read: 0.25 },
    },
    "gemini-2.5-flash": { input: 0.3, output: 2.5, cache_read: 0.03 },
    "gemini-2.5-flash-lite": { input: 0.1, output: 0.4, cache_read: 0.01 },
  }),
};

function models(
  provider: string,
  context_window: number,
  prices: Record<string, Price>,
): PriceTable {
  return Object.fromEntries(
    Object.entries(prices).map(([id, price]) => [`${provider}/${id}`, { price, context_window }]),
  );
}

/** Writing to the cache for five minutes costs a quarter more than reading the text. */
function claude(input: number, output: number, cache_read: number): Rates {
  return { input, output, cache_read, cache_write: input * 1.25 };
}

/** Long requests cost double for input, and half as much again for output. */
function gpt(rates: Rates): Price {
  const { input, output, cache_read = input, cache_write = input } = rates;
  const long = {
    above: 272_000,
    input: input * 2,
    output: output * 1.5,
    cache_read: cache_read * 2,
    cache_write: cache_write * 2,
  };
  return { ...rates, long };
}
