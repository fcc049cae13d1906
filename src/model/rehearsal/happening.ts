import { z } from "zod";

/** A call that was made and answered. */
const DoneCall = z.object({
  name: z.string(),
  input: z.unknown(),
  output: z.string(),
  is_error: z.boolean(),
});
export type DoneCall = z.infer<typeof DoneCall>;

/** The person's own words to the lead. */
const Prompt = z.object({ type: z.literal("prompt"), text: z.string() });

/** A message as the member is shown it. `kind` is the message's type. */
const Mail = z.object({
  type: z.literal("mail"),
  from: z.string(),
  kind: z.string(),
  text: z.string(),
  request_id: z.string().exactOptional(),
  task_id: z.string().exactOptional(),
  approve: z.boolean().exactOptional(),
  reason: z.string().exactOptional(),
});
export type Mail = z.infer<typeof Mail>;

/** One thing that a conversation has in it. */
export const Happening = z.discriminatedUnion("type", [
  Prompt,
  Mail,
  /** What the runtime tells the member about its conversation. */
  z.object({ type: z.literal("note"), text: z.string() }),
  /** What the model said; without calls, that was its answer. */
  z.object({ type: z.literal("reply"), text: z.string(), calls: z.array(DoneCall) }),
]);
export type Happening = z.infer<typeof Happening>;

/** What wants an answer. */
export type Input = Extract<Happening, { type: "prompt" | "mail" }>;

export function isInput(happening: Happening): happening is Input {
  return happening.type === "prompt" || happening.type === "mail";
}

export function isMail(happening: Happening): happening is Mail {
  return happening.type === "mail";
}
