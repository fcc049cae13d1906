import { z } from "zod";
import { Effort } from "./effort.ts";
import { HookEvent } from "./hook-configuration.ts";
import { LandingId, MemberName, MessageId, RequestId, TaskId } from "./ids.ts";
import { LandingState } from "./landing.ts";
import { PermissionMode, RunOutcome } from "./message.ts";
import { RequestState, RequestType } from "./request.ts";
import { TaskStatus } from "./task.ts";
import { MemberStatus } from "./team.ts";
import { TokenUsage } from "./usage.ts";

/** The fields of every event. */
export interface EventFields {
  /** When it happened: ISO 8601, in UTC. */
  at: string;
  /** The member it is about; absent for an event of the whole team. */
  member?: MemberName | undefined;
}

/** A member begins or ends work, is spawned, fails or is ended. */
export interface MemberChangeEvent extends EventFields {
  type: "member-change";
  /** What it does from now on. */
  status: MemberStatus;
  /** What else a person would want to know. */
  detail?: string | undefined;
}

/**
 * A message is in its recipient's mailbox. `member` is its sender. Emitted when the running team
 * first reads it.
 */
export interface MessageSentEvent extends EventFields {
  type: "message-sent";
  /** The id of the message. */
  id: MessageId;
  /** Such as `message`, `result` or `task_assignment`. */
  message_type: string;
  /** The recipient. */
  to: MemberName;
  /** The beginning of its content. */
  preview?: string | undefined;
}

/** A message is in the transcript of its recipient `member`. */
export interface MessageDeliveredEvent extends EventFields {
  type: "message-delivered";
  /** The id of the message. */
  id: MessageId;
}

/** A message came back, because its recipient `member` has ended. */
export interface MessageReturnedEvent extends EventFields {
  type: "message-returned";
  /** The id of the message. */
  id: MessageId;
}

/** A message to `member` was taken back by its sender before the member saw it. */
export interface MessageWithdrawnEvent extends EventFields {
  type: "message-withdrawn";
  /** The id of the message. */
  id: MessageId;
}

/** A line in `member`'s mailbox is not mail, and no model sees it. */
export interface LineSetAsideEvent extends EventFields {
  type: "line-set-aside";
  /** Where the line is: `hand-<generation>-<byte offset>`. */
  id: MessageId;
  /** What is wrong with it. */
  reason: string;
}

/** A task was created or changed. `member` is its owner, if it has one. */
export interface TaskChangeEvent extends EventFields {
  type: "task-change";
  /** The id of the task. */
  id: TaskId;
  /** Its status after the change. */
  status: TaskStatus;
}

/** A question of `member` was asked or decided. */
export interface RequestChangeEvent extends EventFields {
  type: "request-change";
  /** The id of the request. */
  id: RequestId;
  /** What is asked for. */
  request_type: RequestType;
  /** `pending` if it was asked, or how it was decided. */
  state: RequestState;
}

/** The work of `member` was handed in to land, or has changed its state. */
export interface LandingChangeEvent extends EventFields {
  type: "landing-change";
  /** The id of the landing. */
  id: LandingId;
  /** Its state. */
  state: LandingState;
  /** The branch that it lands on. */
  target: string;
  /** Why it waits, was sent back, failed or was discarded, if there is something to say. */
  reason?: string | undefined;
}

/** A permission rule of the team was added or removed. */
export interface RuleChangeEvent extends EventFields {
  type: "rule-change";
  /** What the rule decides. */
  decision: "allow" | "ask" | "deny";
  /** The rule as a person writes it. */
  rule: string;
  /** What happened to it. */
  change: "added" | "removed";
}

/** The permission mode of `member` is another one. */
export interface ModeChangeEvent extends EventFields {
  type: "mode-change";
  /** The new mode. */
  mode: PermissionMode;
}

/** The person went back to an earlier prompt. */
export interface RewindEvent extends EventFields {
  type: "rewind";
  /** The prompt. */
  id: MessageId;
  /** Whether what was said since is undone. */
  conversation: boolean;
  /** The files that are as they were before it. */
  files: string[];
}

/** A member was woken and begins a run. */
export interface RunStartEvent extends EventFields {
  type: "run-start";
}

/** A request goes to the member's model. */
export interface TurnStartEvent extends EventFields {
  type: "turn-start";
  /** Counts from 1 in each run. */
  turn: number;
}

/** The next piece of the model's text. */
export interface TextDeltaEvent extends EventFields {
  type: "text-delta";
  /** The piece. */
  text: string;
}

/** The next piece of the model's thinking, if the provider shows it. */
export interface ThinkingDeltaEvent extends EventFields {
  type: "thinking-delta";
  /** The piece. */
  text: string;
}

/** The model is asked again: discard the deltas of this turn so far. */
export interface ReplyRestartEvent extends EventFields {
  type: "reply-restart";
  /** Why. */
  reason: string;
}

/** The member waits for its provider. */
export interface ModelWaitEvent extends EventFields {
  type: "model-wait";
  /** Why. */
  reason: string;
  /** How long it waits before it asks again, in milliseconds. */
  delay_ms: number;
}

/**
 * Another model of the member's list answers from here on: the one before is overloaded or out of
 * reach, or a better choice is available again.
 */
export interface ModelChangeEvent extends EventFields {
  type: "model-change";
  /** The model that answered before. */
  from: string;
  /** The model that answers now. */
  to: string;
  /** Why. */
  reason: string;
}

/** The person has set a member's model or effort. Its next request goes to that model. */
export interface ModelSetEvent extends EventFields {
  type: "model-set";
  /** Its model, or a list of them. */
  model: string;
  /** How much it thinks; absent if its model does as it does by itself. */
  effort?: Effort | undefined;
}

/** The model calls a tool. */
export interface ToolCallEvent extends EventFields {
  type: "tool-call";
  /** The id of the call, unique for its member. */
  call_id: string;
  /** The name of the tool. */
  name: string;
  /** The arguments, as the model wrote them. */
  input: unknown;
}

/** Output of a call that runs, as it comes. */
export interface ToolOutputEvent extends EventFields {
  type: "tool-output";
  /** The id of the call, unique for its member. */
  call_id: string;
  /** The next piece of the output. */
  text: string;
}

/** The result of a call, as the model sees it. */
export interface ToolResultEvent extends EventFields {
  type: "tool-result";
  /** The id of the call, unique for its member. */
  call_id: string;
  /** The text that the model is shown. */
  output: string;
  /** Whether the call failed or was refused. */
  is_error: boolean;
}

/**
 * A command that is configured as a hook has run. `member` is the one whose event it was.
 */
export interface HookRunEvent extends EventFields {
  type: "hook";
  /** The event of the hook, such as `PreToolUse`. */
  event: HookEvent;
  /** The beginning of its command. */
  command: string;
  /** `blocked`: it refused what it was asked about. `failed`: it ended with another exit code than 0 and 2, took too long, or could not be run. */
  outcome: "passed" | "blocked" | "failed";
  /** Why, or what it says to the person. */
  message?: string | undefined;
  /** The call that it was about. */
  call_id?: string | undefined;
}

/**
 * A call of `member`'s model has ended, with a reply or without: each attempt of a turn, and each call for a
 * summary.
 */
export interface ModelCallEvent extends EventFields {
  type: "model-call";
  /** The model that was asked, as `provider/model`. */
  model: string;
  /** How long it took, in milliseconds. */
  duration_ms: number;
  /** Its tokens, and their cost if it is known; absent if the provider has reported none. */
  usage?: TokenUsage | undefined;
  /** What kind of failure it ended with; absent for a reply. */
  failure?: string | undefined;
}

/** A turn is over: the reply and the results of its calls are recorded. */
export interface TurnEndEvent extends EventFields {
  type: "turn-end";
  /** Counts from 1 in each run. */
  turn: number;
  /** The tokens of the turn, and their cost if it is known. */
  usage: TokenUsage;
}

/** The conversation is being summarized: to make room, or because the person wants it. */
export interface CompactionStartEvent extends EventFields {
  type: "compaction-start";
  /** The size of the conversation before. */
  context_tokens: number;
}

/** The summary has replaced the conversation. */
export interface CompactionEndEvent extends EventFields {
  type: "compaction-end";
  /** The summary. */
  summary: string;
  /** The size of the conversation after, by an estimate. */
  context_tokens?: number | undefined;
}

/** The person cleared the conversation: it starts again, without a summary. */
export interface ClearEvent extends EventFields {
  type: "clear";
  /** The size of the conversation before. */
  context_tokens: number;
}

/** A run is over. */
export interface RunEndEvent extends EventFields {
  type: "run-end";
  /** How it ended. */
  outcome: RunOutcome;
  /** Why, if the outcome alone does not say. */
  reason?: string | undefined;
  /** What a person can do about it. */
  hint?: string | undefined;
}

/** Something that a person should know. */
export interface WarningEvent extends EventFields {
  type: "warning";
  /** What is wrong. */
  message: string;
  /** What to do about it. */
  hint?: string | undefined;
}

/**
 * Something an observer may see. One union for screen, headless output and dashboard. Events may be
 * lost; everything that must not be lost is in the store.
 */
export type AgentEvent =
  | MemberChangeEvent
  | MessageSentEvent
  | MessageDeliveredEvent
  | MessageReturnedEvent
  | MessageWithdrawnEvent
  | LineSetAsideEvent
  | TaskChangeEvent
  | RequestChangeEvent
  | LandingChangeEvent
  | RuleChangeEvent
  | ModeChangeEvent
  | RewindEvent
  | RunStartEvent
  | TurnStartEvent
  | TextDeltaEvent
  | ThinkingDeltaEvent
  | ReplyRestartEvent
  | ModelWaitEvent
  | ModelChangeEvent
  | ModelSetEvent
  | ToolCallEvent
  | ToolOutputEvent
  | ToolResultEvent
  | HookRunEvent
  | ModelCallEvent
  | TurnEndEvent
  | CompactionStartEvent
  | CompactionEndEvent
  | ClearEvent
  | RunEndEvent
  | WarningEvent;

function event<Type extends string, Fields extends z.ZodRawShape>(type: Type, fields: Fields) {
  const shared = { at: z.iso.datetime(), member: MemberName.optional() };
  return z.object({ type: z.literal(type), ...shared, ...fields });
}

const turn = z.int().positive();

export const AgentEvent = z.discriminatedUnion("type", [
  event("member-change", { status: MemberStatus, detail: z.string().optional() }),
  event("message-sent", {
    id: MessageId,
    message_type: z.string(),
    to: MemberName,
    preview: z.string().optional(),
  }),
  event("message-delivered", { id: MessageId }),
  event("message-returned", { id: MessageId }),
  event("message-withdrawn", { id: MessageId }),
  event("line-set-aside", { id: MessageId, reason: z.string() }),
  event("task-change", { id: TaskId, status: TaskStatus }),
  event("request-change", { id: RequestId, request_type: RequestType, state: RequestState }),
  event("landing-change", {
    id: LandingId,
    state: LandingState,
    target: z.string(),
    reason: z.string().optional(),
  }),
  event("rule-change", {
    decision: z.enum(["allow", "ask", "deny"]),
    rule: z.string(),
    change: z.enum(["added", "removed"]),
  }),
  event("mode-change", { mode: PermissionMode }),
  event("rewind", { id: MessageId, conversation: z.boolean(), files: z.array(z.string()) }),
  event("run-start", {}),
  event("turn-start", { turn }),
  event("text-delta", { text: z.string() }),
  event("thinking-delta", { text: z.string() }),
  event("reply-restart", { reason: z.string() }),
  event("model-wait", { reason: z.string(), delay_ms: z.number().nonnegative() }),
  event("model-change", { from: z.string(), to: z.string(), reason: z.string() }),
  event("model-set", { model: z.string(), effort: Effort.optional() }),
  event("tool-call", { call_id: z.string(), name: z.string(), input: z.unknown() }),
  event("tool-output", { call_id: z.string(), text: z.string() }),
  event("tool-result", { call_id: z.string(), output: z.string(), is_error: z.boolean() }),
  event("hook", {
    event: HookEvent,
    command: z.string(),
    outcome: z.enum(["passed", "blocked", "failed"]),
    message: z.string().optional(),
    call_id: z.string().optional(),
  }),
  event("model-call", {
    model: z.string(),
    duration_ms: z.number().nonnegative(),
    usage: TokenUsage.optional(),
    failure: z.string().optional(),
  }),
  event("turn-end", { turn, usage: TokenUsage }),
  event("compaction-start", { context_tokens: z.int() }),
  event("compaction-end", { summary: z.string(), context_tokens: z.int().optional() }),
  event("clear", { context_tokens: z.int() }),
  event("run-end", {
    outcome: RunOutcome,
    reason: z.string().optional(),
    hint: z.string().optional(),
  }),
  event("warning", { message: z.string(), hint: z.string().optional() }),
]) satisfies z.ZodType<AgentEvent>;

/** The bound leaves room for further numbers, even after a damaged line with a high one. */
const seq = z
  .int()
  .positive()
  .max(2 ** 52);

/** An event in `events.jsonl`. */
export interface StoredEvent {
  /** Its number, which only grows. */
  seq: number;
  /** What happened. */
  event: AgentEvent;
}
/** In a line, the number is the last key of the event. */
export const StoredEvent = z
  .looseObject({ seq })
  .transform(({ seq: number, ...event }) => ({ seq: number, event }))
  .pipe(z.object({ seq, event: AgentEvent })) satisfies z.ZodType<StoredEvent>;
