import { z } from "zod";

export const TeamOptions = z.object({
  directory: z.string(),
  url: z.string(),
  model: z.string(),
  contextWindow: z.int(),
});

export const TeamQuestion = z.object({ prompt: z.string() });

export const TeamAnswer = z.object({ result: z.string() });
export type TeamAnswer = z.infer<typeof TeamAnswer>;
