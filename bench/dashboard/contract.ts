import { z } from "zod";

export const ServerOptions = z.object({ directory: z.string() });

export const ServerQuestion = z.object({ wanted: z.enum(["address", "figures"]) });

export const ServerAddress = z.object({ port: z.int() });

/** The CPU time of the process since its start. */
export const ServerFigures = z.object({ cpuMs: z.number(), residentBytes: z.int() });
export type ServerFigures = z.infer<typeof ServerFigures>;

export const CrowdOptions = z.object({ directory: z.string(), members: z.array(z.string()) });

/** How long all members work, and how many events each has. */
export const CrowdQuestion = z.object({
  seconds: z.number(),
  eventsPerSecond: z.number(),
  /** Messages between all of them, each with an entry in the first one's transcript. */
  mailPerSecond: z.number().default(0),
});

export const CrowdFigures = z.object({
  events: z.int(),
  /** The duration of one append: median and maximum. */
  appendMs: z.object({ median: z.number(), worst: z.number() }),
});
export type CrowdFigures = z.infer<typeof CrowdFigures>;
