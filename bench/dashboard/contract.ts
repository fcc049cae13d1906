import { z } from "zod";

export const ServerOptions = z.object({ directory: z.string() });

export const ServerQuestion = z.object({ wanted: z.enum(["address", "figures"]) });

export const ServerAddress = z.object({ port: z.int() });

/** What the process has used since it began. */
export const ServerFigures = z.object({ cpuMs: z.number(), residentBytes: z.int() });
export type ServerFigures = z.infer<typeof ServerFigures>;

export const CrowdOptions = z.object({ directory: z.string(), members: z.array(z.string()) });

/** For how long everybody works, and how often something happens to each. */
export const CrowdQuestion = z.object({
  seconds: z.number(),
  eventsPerSecond: z.number(),
  /** Messages between all of them, with an entry in the first one's transcript for each. */
  mailPerSecond: z.number().default(0),
});

export const CrowdFigures = z.object({
  events: z.int(),
  /** What one append took, in the middle and at worst. */
  appendMs: z.object({ median: z.number(), worst: z.number() }),
});
export type CrowdFigures = z.infer<typeof CrowdFigures>;
