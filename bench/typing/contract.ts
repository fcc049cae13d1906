import { z } from "zod";

export const StreamingOptions = z.object({
  members: z.int(),
  /** How many pieces of text each member streams in a second. */
  piecesPerSecond: z.number(),
});

export const StreamingState = z.object({
  url: z.string(),
  /** How many members have begun. */
  streaming: z.int(),
});
