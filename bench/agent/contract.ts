import { z } from "zod";

/** The options of the provider's process: every turn calls bash until this number is reached. */
export const ProviderOptions = z.object({ turns: z.int(), command: z.string() });

export const ProviderQuestion = z.enum(["url", "figures"]);

export const ProviderUrl = z.object({ url: z.string() });

export const ProviderFigures = z.object({
  /** From the end of an answer to the complete next request, in milliseconds. */
  gapsMs: z.array(z.number()),
  bodyBytes: z.array(z.int()),
  firstBody: z.string(),
});
export type ProviderFigures = z.infer<typeof ProviderFigures>;

export const MemberOptions = z.object({ directory: z.string(), url: z.string(), turns: z.int() });

export const MemberFigures = z.object({
  outcome: z.string(),
  /** Resident memory and live heap after this number of turns. */
  memory: z.array(z.object({ turn: z.int(), rssBytes: z.int(), heapBytes: z.int() })),
});
export type MemberFigures = z.infer<typeof MemberFigures>;

export const ShellFigures = z.object({ spawnMs: z.array(z.number()) });
