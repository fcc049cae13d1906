import { z } from "zod";
import { MemberName } from "../protocol/ids.ts";
import { ReplyBlock, StopReason } from "../protocol/transcript.ts";
import { TokenUsage } from "../protocol/usage.ts";
import type { Utterance } from "./model.ts";
import { ModelFailure } from "./model-failure.ts";

const answeredBy = { usage: TokenUsage.exactOptional(), model: z.string().exactOptional() };

/** A part of a stream as it is recorded, without waiting times. */
export const RecordedPart = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text-delta"), text: z.string() }),
  z.object({ type: z.literal("thinking-delta"), text: z.string() }),
  z.object({ type: z.literal("restart"), failure: ModelFailure, ...answeredBy }),
  z.object({
    type: z.literal("model-change"),
    from: z.string(),
    to: z.string(),
    reason: z.string(),
  }),
  z.object({
    type: z.literal("finish"),
    blocks: z.array(ReplyBlock),
    stop: StopReason,
    rawStop: z.string().exactOptional(),
    usage: TokenUsage,
    model: z.string().exactOptional(),
    usageWarning: z.string().exactOptional(),
  }),
  z.object({ type: z.literal("error"), failure: ModelFailure, ...answeredBy }),
]);
export type RecordedPart = z.infer<typeof RecordedPart>;

/**
 * The tool results in a request: those of the calls of the reply before it.
 *
 * Nothing else of a request is recorded to compare a replay with. Mail arrives at another moment in
 * every run, and ids, times and directories always differ; but a member that was given the same
 * replies has called the same tools, and must have got the same results.
 */
const Answered = z.array(z.object({ name: z.string(), is_error: z.boolean() }));
export type Answered = z.infer<typeof Answered>;

/** One call of a model: a line of a recording. */
export const RecordedCall = z.object({
  type: z.literal("call"),
  member: MemberName,
  /** 1, 2, … for each member. */
  call: z.int().positive(),
  model: z.string(),
  answered: Answered,
  parts: z.array(RecordedPart),
});
export type RecordedCall = z.infer<typeof RecordedCall>;

export function answeredIn(conversation: readonly Utterance[]): Answered {
  const last = conversation.findLastIndex(({ type }) => type === "reply");
  const reply = conversation[last];
  const results = conversation[last + 1];
  if (reply?.type !== "reply" || results?.type !== "results") return [];
  return results.results.map(({ call_id, is_error }) => {
    const call = reply.blocks.find(
      (block) => block.type === "tool-call" && block.call_id === call_id,
    );
    return { name: call?.type === "tool-call" ? call.name : "", is_error };
  });
}
