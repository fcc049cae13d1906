import { z } from "zod";
import { MemberName, MessageId, RequestId, TaskId } from "./ids.ts";
import { Outcome } from "./message.ts";
import { RequestState, RequestType } from "./request.ts";
import { TaskStatus } from "./task.ts";
import { MemberStatus } from "./team.ts";
import { Usage } from "./usage.ts";

/** What every event has. `member` is the one it is about; an event of the whole team has none. */
const envelope = { at: z.iso.datetime(), member: MemberName.optional() };

/**
 * Something an observer may see. One union for screen, headless output and dashboard. Events may
 * be lost; what must not be lost is in the store.
 */
export const AgentEvent = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("member-change"),
    ...envelope,
    status: MemberStatus,
    detail: z.string().optional(),
  }),
  z.object({
    type: z.literal("message-sent"),
    ...envelope,
    id: MessageId,
    message_type: z.string(),
    to: MemberName,
  }),
  z.object({ type: z.literal("message-delivered"), ...envelope, id: MessageId }),
  z.object({ type: z.literal("message-returned"), ...envelope, id: MessageId }),
  z.object({ type: z.literal("line-set-aside"), ...envelope, id: MessageId, reason: z.string() }),
  z.object({ type: z.literal("task-change"), ...envelope, id: TaskId, status: TaskStatus }),
  z.object({
    type: z.literal("request-change"),
    ...envelope,
    id: RequestId,
    request_type: RequestType,
    state: RequestState,
  }),
  z.object({ type: z.literal("run-start"), ...envelope }),
  z.object({ type: z.literal("turn-start"), ...envelope, turn: z.int().positive() }),
  z.object({ type: z.literal("text-delta"), ...envelope, text: z.string() }),
  z.object({ type: z.literal("thinking-delta"), ...envelope, text: z.string() }),
  /** The model call is made again: the deltas of this turn so far are void. */
  z.object({ type: z.literal("reply-restart"), ...envelope, reason: z.string() }),
  /** The member waits for its provider. */
  z.object({
    type: z.literal("model-wait"),
    ...envelope,
    reason: z.string(),
    delay_ms: z.number().nonnegative(),
  }),
  z.object({
    type: z.literal("tool-call"),
    ...envelope,
    call_id: z.string(),
    name: z.string(),
    input: z.unknown(),
  }),
  /** Output of a call that runs, as it comes. */
  z.object({
    type: z.literal("tool-output"),
    ...envelope,
    call_id: z.string(),
    text: z.string(),
  }),
  z.object({
    type: z.literal("tool-result"),
    ...envelope,
    call_id: z.string(),
    output: z.string(),
    is_error: z.boolean(),
  }),
  z.object({ type: z.literal("turn-end"), ...envelope, turn: z.int().positive(), usage: Usage }),
  z.object({ type: z.literal("compaction-start"), ...envelope, context_tokens: z.int() }),
  z.object({ type: z.literal("compaction-end"), ...envelope, summary: z.string() }),
  z.object({
    type: z.literal("run-end"),
    ...envelope,
    outcome: Outcome,
    /** Why, where the outcome alone does not say it. */
    reason: z.string().optional(),
    hint: z.string().optional(),
  }),
  z.object({
    type: z.literal("warning"),
    ...envelope,
    message: z.string(),
    hint: z.string().optional(),
  }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;

/** An event as `events.jsonl` has it: with its number, which only grows, as the line's last key. */
export const StoredEvent = z
  .looseObject({ seq: z.int().positive() })
  .transform(({ seq, ...event }) => ({ seq, event }))
  .pipe(z.object({ seq: z.int(), event: AgentEvent }));
export type StoredEvent = z.infer<typeof StoredEvent>;
