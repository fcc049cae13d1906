// Models of google that take tools, as of 2026-11-10, by @earendil-works/pi-ai 1.5.2.
// Made by `npm run models:update`; what the source has wrong is corrected in scripts/models.
import type { KnownModels } from "../model-facts.ts";

export const models: KnownModels = {
  "deep-research-max-preview-04-2026": { contextWindow: 1048576, maxOutput: 65536, price: { input: 2, output: 12, cacheRead: 0.2, long: { above: 200000, input: 4, output: 18, cacheRead: 0.4 } }, images: true, reasoning: true },
  "deep-research-preview-04-2026": { contextWindow: 1048576, maxOutput: 65536, price: { input: 2, output: 12, cacheRead: 0.2, long: { above: 200000, input: 4, output: 18, cacheRead: 0.4 } }, images: true, reasoning: true },
  "gemini-2.5-computer-use-preview-10-2025": { contextWindow: 128000, maxOutput: 64000, price: { input: 1.25, output: 10, long: { above: 200000, input: 2.5, output: 15 } }, images: true, reasoning: true },
  "gemini-2.5-flash": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.3, output: 2.5, cacheRead: 0.03 }, images: true, reasoning: true },
  "gemini-2.5-flash-lite": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.1, output: 0.4, cacheRead: 0.01 }, images: true, reasoning: true },
  "gemini-2.5-pro": { contextWindow: 1048576, maxOutput: 65536, price: { input: 1.25, output: 10, cacheRead: 0.125, long: { above: 200000, input: 2.5, output: 15, cacheRead: 0.25 } }, images: true, reasoning: true },
  "gemini-3-flash-preview": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.5, output: 3, cacheRead: 0.05 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
  "gemini-3.1-flash-lite": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.25, output: 1.5, cacheRead: 0.025 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
  "gemini-3.1-flash-lite-preview": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.25, output: 1.5, cacheRead: 0.025 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
  "gemini-3.1-pro-preview": { contextWindow: 1048576, maxOutput: 65536, price: { input: 2, output: 12, cacheRead: 0.2, long: { above: 200000, input: 4, output: 18, cacheRead: 0.4 } }, images: true, reasoning: true, efforts: ["low", "medium", "high"] },
  "gemini-3.1-pro-preview-customtools": { contextWindow: 1048576, maxOutput: 65536, price: { input: 2, output: 12, cacheRead: 0.2, long: { above: 200000, input: 4, output: 18, cacheRead: 0.4 } }, images: true, reasoning: true, efforts: ["low", "medium", "high"] },
  "gemini-3.5-flash": { contextWindow: 1048576, maxOutput: 65536, price: { input: 1.5, output: 9, cacheRead: 0.15 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
  "gemini-3.5-flash-lite": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.3, output: 2.5, cacheRead: 0.03 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
  "gemini-3.6-flash": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.75, output: 3.75, cacheRead: 0.075 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
  "gemini-3.7-flash": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.75, output: 3.75, cacheRead: 0.075 }, images: true, reasoning: true, efforts: ["low", "medium", "high"] },
  "gemini-3.8-flash": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.75, output: 3.75, cacheRead: 0.075 }, images: true, reasoning: true, efforts: ["low", "medium", "high"] },
  "gemini-4-argon": { contextWindow: 1048576, maxOutput: 32768, price: { input: 2, output: 10, cacheRead: 0.1 }, images: true, reasoning: true, efforts: ["low", "medium", "high"] },
  "gemini-flash-latest": { contextWindow: 1048576, maxOutput: 65536, price: { input: 1.5, output: 9, cacheRead: 0.15 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
  "gemini-flash-lite-latest": { contextWindow: 1048576, maxOutput: 65536, price: { input: 0.25, output: 1.5, cacheRead: 0.025 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
  "gemini-pro-latest": { contextWindow: 1048576, maxOutput: 65536, price: { input: 2, output: 12, cacheRead: 0.2, long: { above: 200000, input: 4, output: 18, cacheRead: 0.4 } }, images: true, reasoning: true, efforts: ["low", "medium", "high"] },
  "gemini-robotics-er-2-preview": { contextWindow: 131072, maxOutput: 65536, price: { input: 1, output: 5, cacheRead: 0.1 }, images: true, reasoning: true, efforts: ["minimal", "low", "medium", "high"] },
  "gemma-4-26b-a4b-it": { contextWindow: 262144, maxOutput: 32768, images: true, reasoning: true, efforts: ["minimal", "high"] },
  "gemma-4-31b-it": { contextWindow: 262144, maxOutput: 32768, images: true, reasoning: true, efforts: ["minimal", "high"] },
};
