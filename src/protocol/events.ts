import { z } from "zod";
import { MemberName, MessageId, RequestId, TaskId } from "./ids.ts";
import { PermissionMode, RunOutcome } from "./message.ts";
import { RequestState, RequestType } from "./request.ts";
import { TaskStatus } from "./task.ts";
import { MemberStatus } from "./team.ts";
import { TokenUsage } from "./usage.ts";

/** The fields of every event. */
const envelope = {
  at: z.iso.datetime().describe("when it happened, in UTC"),
  member: MemberName.optional().describe(
    "the member it is about; absent for an event of the whole team",
  ),
};

/** The length of the preview of a message, in characters. */
export const previewCharacters = 400;

/** One type of event, with its meaning for docs/events.md. */
function event<Type extends string, Fields extends z.ZodRawShape>(
  type: Type,
  meaning: string,
  fields: Fields,
) {
  return z.object({ type: z.literal(type), ...envelope, ...fields }).describe(meaning);
}

const callId = z.string().describe("the id of the call, unique for its member");
const turn = z.int().positive().describe("counts from 1 in each run");

/**
 * Something an observer may see. One union for screen, headless output and dashboard. Events may be
 * lost; everything that must not be lost is in the store.
 */
export const AgentEvent = z.discriminatedUnion("type", [
  event("member-change", "A member begins or ends work, is spawned, fails or is ended.", {
    status: MemberStatus,
    detail: z.string().optional().describe("what else a person would want to know"),
  }),
  event(
    "message-sent",
    "A message is in its recipient's mailbox. `member` is its sender. Emitted when the running team first reads it.",
    {
      id: MessageId,
      message_type: z.string().describe("such as `message`, `result` or `task_assignment`"),
      to: MemberName,
      preview: z.string().optional().describe("the beginning of its content"),
    },
  ),
  event("message-delivered", "A message is in the transcript of its recipient `member`.", {
    id: MessageId,
  }),
  event("message-returned", "A message came back, because its recipient `member` has ended.", {
    id: MessageId,
  }),
  event("line-set-aside", "A line in `member`'s mailbox is not mail, and no model sees it.", {
    id: MessageId,
    reason: z.string().describe("what is wrong with it"),
  }),
  event("task-change", "A task was created or changed. `member` is its owner, if it has one.", {
    id: TaskId,
    status: TaskStatus,
  }),
  event("request-change", "A question of `member` was asked or decided.", {
    id: RequestId,
    request_type: RequestType,
    state: RequestState,
  }),
  event("rule-change", "A permission rule of the team was added or removed.", {
    decision: z.enum(["allow", "ask", "deny"]),
    rule: z.string().describe("as a person writes it"),
    change: z.enum(["added", "removed"]),
  }),
  event("mode-change", "The permission mode of `member` is another one.", {
    mode: PermissionMode,
  }),
  event("rewind", "The person went back to an earlier prompt.", {
    id: MessageId.describe("the prompt"),
    conversation: z.boolean().describe("whether what was said since is undone"),
    files: z.array(z.string()).describe("the files that are as they were before it"),
  }),
  event("run-start", "A member was woken and begins a run.", {}),
  event("turn-start", "A request goes to the member's model.", { turn }),
  event("text-delta", "The next piece of the model's text.", { text: z.string() }),
  event("thinking-delta", "The next piece of the model's thinking, if the provider shows it.", {
    text: z.string(),
  }),
  event("reply-restart", "The model is asked again: discard the deltas of this turn so far.", {
    reason: z.string(),
  }),
  event("model-wait", "The member waits for its provider.", {
    reason: z.string(),
    delay_ms: z.number().nonnegative().describe("how long it waits before it asks again"),
  }),
  event(
    "model-change",
    "Another model of the member's list answers from here on: the one before is overloaded or out of reach, or a better choice is available again.",
    {
      from: z.string().describe("the model that answered before"),
      to: z.string().describe("the model that answers now"),
      reason: z.string(),
    },
  ),
  event("tool-call", "The model calls a tool.", {
    call_id: callId,
    name: z.string().describe("the name of the tool"),
    input: z.unknown().describe("as the model wrote it"),
  }),
  event("tool-output", "Output of a call that runs, as it comes.", {
    call_id: callId,
    text: z.string(),
  }),
  event("tool-result", "The result of a call, as the model sees it.", {
    call_id: callId,
    output: z.string(),
    is_error: z.boolean(),
  }),
  event("turn-end", "A turn is over: the reply and the results of its calls are recorded.", {
    turn,
    usage: TokenUsage,
  }),
  event("compaction-start", "The conversation is being summarized to make room.", {
    context_tokens: z.int().describe("the size of the conversation before"),
  }),
  event("compaction-end", "The summary has replaced the conversation.", {
    summary: z.string(),
  }),
  event("run-end", "A run is over.", {
    outcome: RunOutcome,
    reason: z.string().optional().describe("why, if the outcome alone does not say"),
    hint: z.string().optional().describe("what a person can do about it"),
  }),
  event("warning", "Something that a person should know.", {
    message: z.string(),
    hint: z.string().optional().describe("what to do about it"),
  }),
]);
export type AgentEvent = z.infer<typeof AgentEvent>;

/** The bound leaves room for further numbers, even after a damaged line with a high one. */
const seq = z
  .int()
  .positive()
  .max(2 ** 52);

/** An event in `events.jsonl`: its number, which only grows, is the line's last key. */
export const StoredEvent = z
  .looseObject({ seq })
  .transform(({ seq: number, ...event }) => ({ seq: number, event }))
  .pipe(z.object({ seq, event: AgentEvent }));
export type StoredEvent = z.infer<typeof StoredEvent>;
