import { z } from "zod";

/** Dollars per million tokens. A rate of 0 stands for one that the source does not have. */
const SourceRates = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
});
export type SourceRates = z.infer<typeof SourceRates>;

/** A level is missing where it is taken under its own name, and null where it is not taken. */
const level = z.string().nullable().optional();

/** The part of a model's record that is used. */
const SourceModel = z.object({
  id: z.string(),
  api: z.string(),
  reasoning: z.boolean(),
  input: z.array(z.string()),
  cost: SourceRates.extend({
    tiers: z.array(SourceRates.extend({ inputTokensAbove: z.int() })).default([]),
  }),
  contextWindow: z.int().positive(),
  maxTokens: z.int().positive(),
  thinkingLevelMap: z
    .object({
      off: level,
      minimal: level,
      low: level,
      medium: level,
      high: level,
      xhigh: level,
      max: level,
    })
    .optional(),
});
export type SourceModel = z.infer<typeof SourceModel>;

const Catalog = z.record(z.string(), z.record(z.string(), z.looseObject({ type: z.string() })));

/** The chat models of a provider's file of `@earendil-works/pi-ai`, all of which take tools. */
export function sourceModels(json: string): SourceModel[] {
  return Object.values(Catalog.parse(JSON.parse(json)))
    .flatMap((group) => Object.values(group))
    .filter(({ type }) => type === "chat")
    .map((model) => SourceModel.parse(model));
}

const Manifest = z.object({ generatedAt: z.iso.datetime() });

/** The day on which the source's data was made. */
export function sourceDate(json: string): string {
  return Manifest.parse(JSON.parse(json)).generatedAt.slice(0, 10);
}
