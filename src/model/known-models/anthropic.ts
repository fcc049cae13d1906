// Models of anthropic that take tools, as of 2026-11-10, by @earendil-works/pi-ai 1.5.2.
// Made by `npm run models:update`; what the source has wrong is corrected in scripts/models.
import type { KnownModels } from "../model-facts.ts";

export const models: KnownModels = {
  "claude-fable-5": { contextWindow: 1000000, maxOutput: 128000, price: { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 }, images: true, reasoning: true, efforts: ["low", "medium", "high", "xhigh", "max"] },
  "claude-fable-5-1": { contextWindow: 1000000, maxOutput: 128000, price: { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 }, images: true, reasoning: true, efforts: ["low", "medium", "high", "xhigh", "max"] },
  "claude-fable-5-2": { contextWindow: 1000000, maxOutput: 128000, price: { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10 }, images: true, reasoning: true, efforts: ["low", "medium", "high", "xhigh", "max"] },
  "claude-haiku-4-5": { contextWindow: 200000, maxOutput: 64000, price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 }, images: true, reasoning: true },
  "claude-haiku-5-5": { contextWindow: 1000000, maxOutput: 128000, price: { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125, long: { above: 100000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 } }, images: true, reasoning: true, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
  "claude-mythos-5": { contextWindow: 1000000, maxOutput: 128000, price: { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 }, images: true, reasoning: true, efforts: ["low", "medium", "high", "xhigh", "max"] },
  "claude-mythos-5-1": { contextWindow: 1000000, maxOutput: 128000, price: { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 }, images: true, reasoning: true, efforts: ["low", "medium", "high", "xhigh", "max"] },
  "claude-opus-4": { contextWindow: 200000, maxOutput: 32000, price: { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }, images: true, reasoning: true },
  "claude-opus-4-0": { contextWindow: 200000, maxOutput: 32000, price: { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }, images: true, reasoning: true },
  "claude-opus-4-1": { contextWindow: 200000, maxOutput: 32000, price: { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 }, images: true, reasoning: true },
  "claude-opus-4-5": { contextWindow: 200000, maxOutput: 64000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true },
  "claude-opus-4-6": { contextWindow: 1000000, maxOutput: 128000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true, efforts: ["none", "low", "medium", "high", "max"] },
  "claude-opus-4-7": { contextWindow: 1000000, maxOutput: 128000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
  "claude-opus-4-8": { contextWindow: 1000000, maxOutput: 128000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
  "claude-opus-5": { contextWindow: 1000000, maxOutput: 128000, price: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 }, images: true, reasoning: true, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
  "claude-opus-5-5": { contextWindow: 1000000, maxOutput: 128000, price: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 }, images: true, reasoning: true, efforts: ["low", "medium", "high", "xhigh", "max"] },
  "claude-sonnet-4": { contextWindow: 200000, maxOutput: 64000, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, images: true, reasoning: true },
  "claude-sonnet-4-0": { contextWindow: 200000, maxOutput: 64000, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, images: true, reasoning: true },
  "claude-sonnet-4-5": { contextWindow: 200000, maxOutput: 64000, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, images: true, reasoning: true },
  "claude-sonnet-4-6": { contextWindow: 1000000, maxOutput: 128000, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }, images: true, reasoning: true, efforts: ["none", "low", "medium", "high", "max"] },
  "claude-sonnet-5": { contextWindow: 1000000, maxOutput: 128000, price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }, images: true, reasoning: true, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
  "claude-sonnet-5-5": { contextWindow: 1000000, maxOutput: 128000, price: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 }, images: true, reasoning: true, efforts: ["low", "medium", "high", "xhigh", "max"] },
};
