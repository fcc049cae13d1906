import { z } from "zod";

export const LongTalkOptions = z.object({ directory: z.string(), teammates: z.int() });

export const HourQuestion = z.object({ prompts: z.int() });

export const HourFigures = z.object({
  /** Replies of all models since the start. */
  replies: z.int(),
  /** Conversations that were replaced by a summary since the start. */
  compactions: z.int(),
  /** What the program has written to the terminal since the start. */
  writtenBytes: z.int(),
  /** After a collection. */
  heapBytes: z.int(),
  residentBytes: z.int(),
});
export type HourFigures = z.infer<typeof HourFigures>;
