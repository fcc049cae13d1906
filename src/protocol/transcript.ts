import { z } from "zod";
import { MessageId } from "./ids.ts";
import { MailPosition, Message, RunOutcome } from "./message.ts";
import { TokenUsage } from "./usage.ts";

/**
 * Data that a provider needs back with a block, under the provider's name, such as the signature of
 * a thought. Nobody else reads it.
 */
const ProviderData = z.record(z.string(), z.record(z.string(), z.unknown()));

/** A call of a tool as the model wrote it. */
const ToolCall = z.object({
  call_id: z.string(),
  name: z.string(),
  input: z.unknown(),
  /** Why the input was refused; `input` is then the beginning of its text. */
  input_error: z.string().optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** One piece of a model's reply, in the order in which it came. */
export const ReplyBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), provider: ProviderData.optional() }),
  z.object({ type: z.literal("thinking"), text: z.string(), provider: ProviderData.optional() }),
  z.object({
    type: z.literal("tool-call"),
    ...ToolCall.shape,
    provider: ProviderData.optional(),
  }),
]);
export type ReplyBlock = z.infer<typeof ReplyBlock>;

/**
 * Why a reply ended. `length`: it reached the output limit; `refusal`: the provider would not
 * answer; `pause`: the provider wants to be asked to continue; `overflow`: the context is full.
 */
export const StopReason = z.enum([
  "end",
  "tool-calls",
  "length",
  "refusal",
  "pause",
  "overflow",
  "other",
]);
export type StopReason = z.infer<typeof StopReason>;

/** An image that a tool, or a message, shows to the model. */
export const ModelImage = z.object({ media_type: z.string(), data: z.base64() });
export type ModelImage = z.infer<typeof ModelImage>;

/** An image of an input. `before` is the index of the text that it is shown before. */
export const InputImage = ModelImage.extend({ before: z.int().nonnegative() });
export type InputImage = z.infer<typeof InputImage>;

/** The result of a tool call, as the model is shown it. */
const ToolResult = z.object({
  call_id: z.string(),
  output: z.string(),
  is_error: z.boolean(),
  images: z.array(ModelImage).optional(),
});
export type ToolResult = z.infer<typeof ToolResult>;

const at = z.iso.datetime();

/**
 * Mail as it was taken in, with those of its images whose files were there. `position` says where it
 * ends in the mailbox.
 */
const ReceivedMail = z.object({
  message: Message,
  position: MailPosition,
  images: z.array(ModelImage).optional(),
});
export type ReceivedMail = z.infer<typeof ReceivedMail>;

/** One line of a transcript: something a member saw, said or did. `type` is its first key. */
export const TranscriptEntry = z.discriminatedUnion("type", [
  /** The member as it was spawned. A later one replaces it. */
  z.object({
    type: z.literal("profile"),
    at,
    system: z.string(),
    model: z.string(),
    /** Another one for other tools. */
    tools: z.string().optional(),
  }),
  /** Mail that has arrived. */
  z.object({ type: z.literal("delivery"), at, ...ReceivedMail.shape }),
  /** A note of the runtime to the member. Unless it `wakes`, it is sent with the next request. */
  z.object({ type: z.literal("note"), at, text: z.string(), wakes: z.boolean() }),
  /** Entries are missing here: damaged, or removed by somebody. Their content is unknown. */
  z.object({ type: z.literal("gap"), at, lost: z.int().nonnegative() }),
  z.object({ type: z.literal("run-start"), at }),
  z.object({
    type: z.literal("reply"),
    at,
    /** The model that wrote it (default: the one of the profile). */
    model: z.string().optional(),
    blocks: z.array(ReplyBlock),
    stop: StopReason,
    usage: TokenUsage.optional(),
  }),
  /** A tool call is about to run. Without a result after it, its outcome is unknown. */
  z.object({
    type: z.literal("tool-start"),
    at,
    call_id: z.string(),
    /** The input that is run, where a hook of the program changed it. */
    input: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("tool-result"),
    at,
    ...ToolResult.shape,
    /** Mail that `output` shows. It counts as delivered and is not shown again. */
    mail: z.array(ReceivedMail).optional(),
  }),
  z.object({
    type: z.literal("run-end"),
    at,
    outcome: RunOutcome,
    reason: z.string().optional(),
    /** The id of the message that reports the run, so that it is sent once. */
    report_id: MessageId.optional(),
  }),
  /**
   * Everything that follows the end of a run is done: its report is sent, its tasks are released or
   * reminded of.
   */
  z.object({ type: z.literal("run-settled"), at }),
  /**
   * A summary that replaces everything before it; the profile is repeated after it. `delivered`
   * repeats how far the mailbox has been taken in, because nothing before this entry is read when
   * the member is opened again.
   */
  z.object({
    type: z.literal("compaction"),
    at,
    summary: z.string(),
    /** Texts that stay word for word: those rebuilt from disk, and those not answered yet. */
    kept: z.array(z.string()),
    /** The images of these texts. */
    images: z.array(InputImage).optional(),
    /** Whether the member has work left. */
    wakes: z.boolean(),
    delivered: z.array(MailPosition),
    /** The texts that the run had answered so far. */
    answers: z.array(z.string()).optional(),
  }),
  /**
   * The person went back to an earlier prompt: so many entries before this one no longer count, earlier
   * rewinds among them. `delivered` repeats how far the mailbox has been taken in.
   */
  z.object({
    type: z.literal("rewind"),
    at,
    voids: z.int().nonnegative(),
    delivered: z.array(MailPosition),
  }),
]);
export type TranscriptEntry = z.infer<typeof TranscriptEntry>;
