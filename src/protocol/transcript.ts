import { z } from "zod";
import { Message, Outcome, Position } from "./message.ts";
import { Usage } from "./usage.ts";

/** A call of a tool as the model wrote it. */
const ToolCall = z.object({
  call_id: z.string(),
  name: z.string(),
  input: z.unknown(),
});

/** One piece of a model's reply, in the order in which it came. */
const ReplyBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("thinking"), text: z.string(), signature: z.string().optional() }),
  z.object({ type: z.literal("tool-call"), ...ToolCall.shape }),
]);

const at = z.iso.datetime();

/** One line of a transcript: something a member saw, said or did. `type` is its first key. */
export const Entry = z.discriminatedUnion("type", [
  /** The member as it was spawned. A later one replaces it. */
  z.object({ type: z.literal("profile"), at, system: z.string(), model: z.string() }),
  /** Mail that has arrived. `position` says where it ends in the mailbox. */
  z.object({ type: z.literal("delivery"), at, message: Message, position: Position }),
  z.object({ type: z.literal("run-start"), at }),
  z.object({
    type: z.literal("reply"),
    at,
    blocks: z.array(ReplyBlock),
    usage: Usage.optional(),
  }),
  /** A tool call is about to run. Without a result after it, its outcome is unknown. */
  z.object({ type: z.literal("tool-start"), at, call_id: z.string() }),
  z.object({
    type: z.literal("tool-result"),
    at,
    call_id: z.string(),
    output: z.string(),
    is_error: z.boolean(),
  }),
  z.object({ type: z.literal("run-end"), at, outcome: Outcome }),
  /**
   * What replaces everything before it. `delivered` repeats how far the mailbox has been taken in,
   * because nothing before this entry is read when the member is opened again.
   */
  z.object({
    type: z.literal("compaction"),
    at,
    summary: z.string(),
    delivered: z.array(Position),
  }),
]);
export type Entry = z.infer<typeof Entry>;
