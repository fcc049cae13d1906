import { z } from "zod";
import { MessageId } from "./ids.ts";
import { MailPosition, Message, RunOutcome } from "./message.ts";
import { TokenUsage } from "./usage.ts";

/**
 * Data that a provider needs back with a block, under the provider's name, such as the signature of
 * a thought. Nobody else reads it.
 */
export type ProviderData = Record<string, Record<string, unknown>>;
const ProviderData = z.record(z.string(), z.record(z.string(), z.unknown()));

/** A call of a tool as the model wrote it. */
export interface ToolCall {
  /** The id of the call, unique for its member. */
  call_id: string;
  /** The name of the tool. */
  name: string;
  /** The arguments, as JSON data. */
  input: unknown;
  /** Why the input was refused; `input` is then the beginning of its text. */
  input_error?: string | undefined;
}
const ToolCall = z.object({
  call_id: z.string(),
  name: z.string(),
  input: z.unknown(),
  input_error: z.string().optional(),
}) satisfies z.ZodType<ToolCall>;

/** Text of a model's reply. */
export interface TextBlock {
  type: "text";
  /** The text, as Markdown. */
  text: string;
  /** What the provider needs back with it. */
  provider?: ProviderData | undefined;
}

/** What a model thought before it continued. */
export interface ThinkingBlock {
  type: "thinking";
  /** The thought, or a summary of it; empty where the provider does not show it. */
  text: string;
  /** What the provider needs back with it. */
  provider?: ProviderData | undefined;
}

/** A call of a tool in a model's reply. */
export interface ToolCallBlock extends ToolCall {
  type: "tool-call";
  /** What the provider needs back with it. */
  provider?: ProviderData | undefined;
}

/** One piece of a model's reply, in the order in which it came. */
export type ReplyBlock = TextBlock | ThinkingBlock | ToolCallBlock;
export const ReplyBlock = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), provider: ProviderData.optional() }),
  z.object({ type: z.literal("thinking"), text: z.string(), provider: ProviderData.optional() }),
  z.object({
    type: z.literal("tool-call"),
    ...ToolCall.shape,
    provider: ProviderData.optional(),
  }),
]) satisfies z.ZodType<ReplyBlock>;

/**
 * Why a reply ended. `length`: it reached the output limit; `refusal`: the provider would not
 * answer; `pause`: the provider wants to be asked to continue; `overflow`: the context is full.
 */
export type StopReason =
  | "end"
  | "tool-calls"
  | "length"
  | "refusal"
  | "pause"
  | "overflow"
  | "other";
export const StopReason = z.enum([
  "end",
  "tool-calls",
  "length",
  "refusal",
  "pause",
  "overflow",
  "other",
]);

/** An image that a tool, or a message, shows to the model. */
export interface ModelImage {
  /** Such as `image/png`. */
  media_type: string;
  /** The file, in Base64. */
  data: string;
}
export const ModelImage = z.object({
  media_type: z.string(),
  data: z.base64(),
}) satisfies z.ZodType<ModelImage>;

/** An image of an input. */
export interface InputImage extends ModelImage {
  /** The index of the text that it is shown before. */
  before: number;
}
export const InputImage = ModelImage.extend({
  before: z.int().nonnegative(),
}) satisfies z.ZodType<InputImage>;

/** The result of a tool call, as the model is shown it. */
export interface ToolResult {
  /** The id of the call. */
  call_id: string;
  /** The text that the model is shown. */
  output: string;
  /** Whether the call failed or was refused. */
  is_error: boolean;
  /** Pictures that the model is shown after the text. */
  images?: ModelImage[] | undefined;
}
const ToolResult = z.object({
  call_id: z.string(),
  output: z.string(),
  is_error: z.boolean(),
  images: z.array(ModelImage).optional(),
}) satisfies z.ZodType<ToolResult>;

const at = z.iso.datetime();

/** Mail as it was taken in. */
export interface ReceivedMail {
  /** The message. */
  message: Message;
  /** Where it ends in the mailbox. */
  position: MailPosition;
  /** Those of its images whose files were there. */
  images?: ModelImage[] | undefined;
}
const ReceivedMail = z.object({
  message: Message,
  position: MailPosition,
  images: z.array(ModelImage).optional(),
}) satisfies z.ZodType<ReceivedMail>;

/** The fields of every entry of a transcript. */
export interface EntryFields {
  /** When it was written: ISO 8601, in UTC. */
  at: string;
}

/** The member as it was spawned. A later one replaces it. */
export interface ProfileEntry extends EntryFields {
  type: "profile";
  /** The system prompt. */
  system: string;
  /** The id of the model. */
  model: string;
  /** A text that is another one for other tools. */
  tools?: string | undefined;
}

/** Mail that has arrived. */
export interface DeliveryEntry extends EntryFields, ReceivedMail {
  type: "delivery";
}

/** A note of the runtime to the member. */
export interface NoteEntry extends EntryFields {
  type: "note";
  /** What the member is told. */
  text: string;
  /** Whether it starts a run; otherwise it is sent with the next request. */
  wakes: boolean;
}

/** Entries are missing here: damaged, or removed by somebody. Their content is unknown. */
export interface GapEntry extends EntryFields {
  type: "gap";
  /** How many entries are missing. */
  lost: number;
}

/** A run begins. */
export interface RunStartEntry extends EntryFields {
  type: "run-start";
}

/** A reply of the model. */
export interface ReplyEntry extends EntryFields {
  type: "reply";
  /** The model that wrote it (default: the one of the profile). */
  model?: string | undefined;
  /** What it consists of, in order. */
  blocks: ReplyBlock[];
  /** Why it ended. */
  stop: StopReason;
  /** What it used; absent where the provider did not say. */
  usage?: TokenUsage | undefined;
}

/** A tool call is about to run. Without a result after it, its outcome is unknown. */
export interface ToolStartEntry extends EntryFields {
  type: "tool-start";
  /** The id of the call. */
  call_id: string;
  /** The input that is run, where a hook of the program changed it. */
  input?: unknown;
}

/** The result of a tool call. */
export interface ToolResultEntry extends EntryFields, ToolResult {
  type: "tool-result";
  /** Mail that `output` shows. It counts as delivered and is not shown again. */
  mail?: ReceivedMail[] | undefined;
}

/** A run is over. */
export interface RunEndEntry extends EntryFields {
  type: "run-end";
  /** How it ended. */
  outcome: RunOutcome;
  /** Why, if the outcome alone does not say. */
  reason?: string | undefined;
  /** The id of the message that reports the run, so that it is sent once. */
  report_id?: MessageId | undefined;
}

/**
 * Everything that follows the end of a run is done: its report is sent, its tasks are released or
 * reminded of.
 */
export interface RunSettledEntry extends EntryFields {
  type: "run-settled";
}

/** How a run ended. */
export interface RecordedRunEnd {
  /** In a word. */
  outcome: RunOutcome;
  /** Why, if the outcome alone does not say. */
  reason?: string | undefined;
  /** The id of the message that reports the run. */
  report_id?: MessageId | undefined;
}
const RecordedRunEnd = z.object({
  outcome: RunOutcome,
  reason: z.string().optional(),
  report_id: MessageId.optional(),
}) satisfies z.ZodType<RecordedRunEnd>;

/** A summary that replaces everything before it; the profile is repeated after it. */
export interface CompactionEntry extends EntryFields {
  type: "compaction";
  /** The summary. */
  summary: string;
  /** Whether the person cleared the conversation; `summary` then only says so. */
  cleared?: boolean | undefined;
  /** Texts that stay word for word: those rebuilt from disk, and those not answered yet. */
  kept: string[];
  /** How many of these, the first ones, the next compaction does not keep (default: none). */
  rebuilt?: number | undefined;
  /** The images of these texts. */
  images?: InputImage[] | undefined;
  /** Whether the member has work left. */
  wakes: boolean;
  /**
   * How far the mailbox has been taken in, because nothing before this entry is read when the member
   * is opened again.
   */
  delivered: MailPosition[];
  /** The texts that the run had answered so far. */
  answers?: string[] | undefined;
  /** How the last run had ended; absent where one was under way. */
  end?: RecordedRunEnd | undefined;
}

/**
 * The provider refused an image: those that no reply has followed are no longer sent; where there are
 * none, none of those before.
 */
export interface ImagesRefusedEntry extends EntryFields {
  type: "images-refused";
  /** Why, in the words of the provider. */
  reason: string;
}

/** The person went back to an earlier prompt. */
export interface RewindEntry extends EntryFields {
  type: "rewind";
  /** So many entries before this one no longer count, earlier rewinds among them. */
  voids: number;
  /** How far the mailbox has been taken in. */
  delivered: MailPosition[];
}

/** One line of a transcript: something a member saw, said or did. */
export type TranscriptEntry =
  | ProfileEntry
  | DeliveryEntry
  | NoteEntry
  | GapEntry
  | RunStartEntry
  | ReplyEntry
  | ToolStartEntry
  | ToolResultEntry
  | RunEndEntry
  | RunSettledEntry
  | CompactionEntry
  | ImagesRefusedEntry
  | RewindEntry;
/** `type` is the first key of a line. */
export const TranscriptEntry = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("profile"),
    at,
    system: z.string(),
    model: z.string(),
    tools: z.string().optional(),
  }),
  z.object({ type: z.literal("delivery"), at, ...ReceivedMail.shape }),
  z.object({ type: z.literal("note"), at, text: z.string(), wakes: z.boolean() }),
  z.object({ type: z.literal("gap"), at, lost: z.int().nonnegative() }),
  z.object({ type: z.literal("run-start"), at }),
  z.object({
    type: z.literal("reply"),
    at,
    model: z.string().optional(),
    blocks: z.array(ReplyBlock),
    stop: StopReason,
    usage: TokenUsage.optional(),
  }),
  z.object({
    type: z.literal("tool-start"),
    at,
    call_id: z.string(),
    input: z.unknown().optional(),
  }),
  z.object({
    type: z.literal("tool-result"),
    at,
    ...ToolResult.shape,
    mail: z.array(ReceivedMail).optional(),
  }),
  z.object({
    type: z.literal("run-end"),
    at,
    outcome: RunOutcome,
    reason: z.string().optional(),
    report_id: MessageId.optional(),
  }),
  z.object({ type: z.literal("run-settled"), at }),
  z.object({
    type: z.literal("compaction"),
    at,
    summary: z.string(),
    cleared: z.boolean().optional(),
    kept: z.array(z.string()),
    rebuilt: z.int().nonnegative().optional(),
    images: z.array(InputImage).optional(),
    wakes: z.boolean(),
    delivered: z.array(MailPosition),
    answers: z.array(z.string()).optional(),
    end: RecordedRunEnd.optional(),
  }),
  z.object({ type: z.literal("images-refused"), at, reason: z.string() }),
  z.object({
    type: z.literal("rewind"),
    at,
    voids: z.int().nonnegative(),
    delivered: z.array(MailPosition),
  }),
]) satisfies z.ZodType<TranscriptEntry>;
