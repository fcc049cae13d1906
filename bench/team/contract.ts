import { z } from "zod";

/** What is played: who says what is the provider's part, who is told what is the team's. */
export const Scene = z.enum(["sleepers", "reports", "reports-at-once", "letters"]);

export const ProviderOptions = z.object({ scene: Scene, teammates: z.int() });

export const ProviderQuestion = z.enum(["url", "figures"]);

export const ProviderUrl = z.object({ url: z.string() });

export const ProviderFigures = z.object({
  /** From the end of what one member says to the first request that shows it to another. */
  gapsMs: z.array(z.number()),
  requests: z.int(),
  sentBytes: z.int(),
  /** The first request of the lead, and of a teammate. */
  firstBodies: z.object({ lead: z.string(), teammate: z.string() }),
});
export type ProviderFigures = z.infer<typeof ProviderFigures>;

export const TeamOptions = z.object({
  directory: z.string(),
  url: z.string(),
  scene: Scene,
  teammates: z.int(),
  /** How many times something is said. */
  times: z.int(),
});

export const TeamFigures = z.object({
  result: z.string(),
  /** The most memory the process ever had. */
  peakBytes: z.int(),
});
export type TeamFigures = z.infer<typeof TeamFigures>;

export const FloorFigures = z.object({ tookMs: z.number() });

export const CrowdOptions = z.object({
  directory: z.string(),
  members: z.int(),
  turns: z.int(),
});

export const CrowdFigures = z.object({
  /** Teammates whose every turn came, and that said that they are done. */
  finished: z.int(),
  tookMs: z.number(),
  lagMs: z.object({ p50: z.number(), p99: z.number(), max: z.number() }),
  peakBytes: z.int(),
});
export type CrowdFigures = z.infer<typeof CrowdFigures>;
