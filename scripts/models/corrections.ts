import type { KnownModels } from "../../src/model/model-facts.ts";

/** Rows that the source has and the table must not have. */
export function isLeftOut(provider: string, id: string): boolean {
  if (provider !== "openrouter") return false;
  // Answers of a batch come within a day, not in a conversation.
  if (id.endsWith(":batch")) return true;
  // They hand a request on to a model that nobody knows before.
  return id === "auto" || /^(openrouter|typesafe)\//.test(id);
}

/** Mythos takes what Fable takes. */
const fables = ["low", "medium", "high", "xhigh", "max"] as const;

/**
 * Rows that the source does not have: models that Anthropic gives only to some customers, or no
 * longer recommends. Prices are of its list of November 2026.
 */
export const addedModels: Readonly<Record<string, KnownModels>> = {
  anthropic: {
    "claude-mythos-5-1": {
      ...claude(1_000_000, 128_000, { input: 10, output: 50, cacheRead: 0.25 }),
      efforts: [...fables],
    },
    "claude-mythos-5": {
      ...claude(1_000_000, 128_000, { input: 10, output: 50, cacheRead: 1 }),
      efforts: [...fables],
    },
    "claude-opus-4-1": claude(200_000, 32_000, { input: 15, output: 75, cacheRead: 1.5 }),
    "claude-opus-4-0": claude(200_000, 32_000, { input: 15, output: 75, cacheRead: 1.5 }),
    "claude-opus-4": claude(200_000, 32_000, { input: 15, output: 75, cacheRead: 1.5 }),
    "claude-sonnet-4-0": claude(200_000, 64_000, { input: 3, output: 15, cacheRead: 0.3 }),
    "claude-sonnet-4": claude(200_000, 64_000, { input: 3, output: 15, cacheRead: 0.3 }),
  },
};

/** Writing to the cache for five minutes costs a quarter more than reading the text. */
function claude(
  contextWindow: number,
  maxOutput: number,
  rates: { input: number; output: number; cacheRead: number },
): KnownModels[string] {
  const price = { ...rates, cacheWrite: rates.input * 1.25 };
  return { contextWindow, maxOutput, price, images: true, reasoning: true };
}
