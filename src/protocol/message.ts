import { z } from "zod";
import { CronId } from "./cron.ts";
import { CommitId, LandingId, MemberName, MessageId, RequestId, TaskId } from "./ids.ts";
import { LandingState } from "./landing.ts";

/** The largest `content` in bytes of UTF-8. Larger texts belong in a file whose path is sent. */
export const maxContentBytes = 256 * 1024;

/**
 * How a run ended. `turn-limit`: it reached its limit of turns; `budget`: what it may spend is used up;
 * `interrupted`: somebody stopped it.
 */
export type RunOutcome = "done" | "failed" | "turn-limit" | "budget" | "interrupted";
export const RunOutcome = z.enum(["done", "failed", "turn-limit", "budget", "interrupted"]);

/**
 * What a member may do without asking. `default`: read; `acceptEdits`: also change files of the
 * workspace; `plan`: read, and nothing else even if asked for; `bypassPermissions`: whatever no rule
 * denies.
 */
export type PermissionMode = "default" | "acceptEdits" | "plan" | "bypassPermissions";
export const PermissionMode = z.enum(["default", "acceptEdits", "plan", "bypassPermissions"]);

/** An image that belongs to a message. Its content is in a file of the team that is named after its hash. */
export interface ImageReference {
  /** The format of the file. */
  media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
  /** The SHA-256 of the file, in hex. */
  sha256: string;
  /** The size of the file in bytes. */
  bytes: number;
}
export const ImageReference = z.object({
  media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
}) satisfies z.ZodType<ImageReference>;

/** The fields of every message. */
export interface MessageFields {
  /** Its id, which stays the same when it is sent again. */
  id: MessageId;
  /** The sender: a member, or `user`, `system` or `outside`. */
  from: MemberName;
  /** The recipient, whose mailbox it is in. */
  to: MemberName;
  /** Its text, at most 256 KiB of UTF-8. May be empty. */
  content: string;
  /** When it was sent, in seconds since 1970. */
  timestamp: number;
}

/** A text to one member. */
export interface TextMessage extends MessageFields {
  type: "message";
  /** The task that it is about, if any. */
  task_id?: TaskId | undefined;
  /** The cron that sent it, if any. */
  cron_id?: CronId | undefined;
  /** The images that its recipient is shown before the text. */
  images?: ImageReference[] | undefined;
}

/** A text to all members. */
export interface BroadcastMessage extends MessageFields {
  type: "broadcast";
}

/** What a teammate's run achieved. `content` is its last text. */
export interface ResultMessage extends MessageFields {
  type: "result";
  /** How the run ended. */
  outcome: RunOutcome;
  /** True if only teammates' mail had woken the run: then it need not wake the lead at once. */
  woken_by_peers?: boolean | undefined;
}

/** A teammate has no work left. */
export interface IdleMessage extends MessageFields {
  type: "idle_notification";
}

/** A task was given to the recipient. */
export interface TaskMessage extends MessageFields {
  type: "task_assignment";
  /** The task. */
  task_id: TaskId;
}

/** A teammate hands in a plan, and waits for the answer. */
export interface PlanMessage extends MessageFields {
  type: "plan_approval_request";
  /** The request that the answer must name. */
  request_id: RequestId;
  /** The text of the plan. */
  plan: string;
}

/** The answer to a plan. */
export interface PlanAnswerMessage extends MessageFields {
  type: "plan_approval_response";
  /** The request that it answers. */
  request_id: RequestId;
  /** Whether the plan may be carried out. */
  approve: boolean;
  /** What should be different; absent if there is nothing to say. */
  feedback?: string | undefined;
  /** The hash of the question that was shown. An answer to another question is ignored. */
  hash?: string | undefined;
}

/** The recipient is asked to end; to the lead, it is the person's order to end all teammates. */
export interface ShutdownMessage extends MessageFields {
  type: "shutdown_request";
  /** The request that the answer must name. */
  request_id: RequestId;
}

/** The answer of a member that was asked to end. */
export interface ShutdownAnswerMessage extends MessageFields {
  type: "shutdown_response";
  /** The request that it answers. */
  request_id: RequestId;
  /** Whether it ends. */
  approve: boolean;
  /** Why it does not. */
  reason?: string | undefined;
}

/** Tells the lead that a teammate waits for the person's permission. */
export interface PermissionMessage extends MessageFields {
  type: "permission_request";
  /** The request that is open. */
  request_id: RequestId;
  /** The name of the tool. */
  tool: string;
  /** The arguments of the call. */
  input: unknown;
  /** Why the person is asked. */
  reason?: string | undefined;
}

/** The person's answer to a request for permission. */
export interface PermissionAnswerMessage extends MessageFields {
  type: "permission_response";
  /** The request that it answers. */
  request_id: RequestId;
  /** Whether the call may run; `allow-always` also adds the rule that the request suggests. */
  decision: "allow-once" | "allow-always" | "deny";
  /** What the member is told. */
  reason?: string | undefined;
  /** The hash of the question that was shown. An answer to another question is ignored. */
  hash?: string | undefined;
}

/** The person adds or removes a permission rule. */
export interface RuleMessage extends MessageFields {
  type: "team_permission_update";
  /** The rule, such as `bash(npm test:*)`. */
  rule: string;
  /** What the rule decides. */
  decision: "allow" | "ask" | "deny";
  /** True where the rule no longer applies. */
  removed?: boolean | undefined;
}

/** The recipient's permission mode is changed. */
export interface ModeMessage extends MessageFields {
  type: "mode_set_request";
  /** The new mode. */
  mode: PermissionMode;
}

/** The sender takes back a message to the recipient that its model has not seen. */
export interface WithdrawMessage extends MessageFields {
  type: "withdraw_request";
  /** The message that is taken back. */
  message_id: MessageId;
}

/** Tells the lead that a command of a teammate waits for the person's permission to reach a host. All fields are kept. */
export interface SandboxMessage extends MessageFields {
  type: "sandbox_permission_request";
  /** The request that is open, the host, the reason, and any further field. */
  [field: string]: unknown;
}

/** A reserved type, whose further fields are not fixed yet: all of them are kept. */
export interface SandboxAnswerMessage extends MessageFields {
  type: "sandbox_permission_response";
  /** Any further field. */
  [field: string]: unknown;
}

/** A teammate has ended. */
export interface TerminatedMessage extends MessageFields {
  type: "teammate_terminated";
  /** Why. */
  reason?: string | undefined;
  /** Who. */
  teammate?: MemberName | undefined;
  /** True if somebody had asked for it: then it wakes nobody. */
  expected?: boolean | undefined;
}

/** Tells what has become of the work of a member with a checkout. */
export interface LandingMessage extends MessageFields {
  type: "landing_notification";
  /** The landing. */
  landing_id: LandingId;
  /** Its state. */
  landing_state: LandingState;
}

/** Tells of an MCP server that has come, or that offers something else than before. */
export interface McpMessage extends MessageFields {
  type: "mcp_notification";
  /** The name of the server. */
  server: string;
}

/** The person decides on a landing. */
export interface LandingDecisionMessage extends MessageFields {
  type: "landing_decision";
  /** The landing. */
  landing_id: LandingId;
  /** The commit that the person has seen. Another one is not what was decided on. */
  commit: CommitId;
  /** Whether it may land. */
  decision: "land" | "discard";
  /** Why it is discarded. */
  reason?: string | undefined;
}

/** A message to a member, as it is in a mailbox. Written once, never edited. */
export type Message =
  | TextMessage
  | BroadcastMessage
  | ResultMessage
  | IdleMessage
  | TaskMessage
  | PlanMessage
  | PlanAnswerMessage
  | ShutdownMessage
  | ShutdownAnswerMessage
  | PermissionMessage
  | PermissionAnswerMessage
  | RuleMessage
  | ModeMessage
  | WithdrawMessage
  | SandboxMessage
  | SandboxAnswerMessage
  | LandingMessage
  | McpMessage
  | LandingDecisionMessage
  | TerminatedMessage;

const Content = z
  .string()
  .refine(isContentSize, `is larger than ${maxContentBytes} bytes`)
  .default("");

/** Seconds since 1970, within the range of a `Date`. */
export const Timestamp = z.number().min(0).max(8.64e12);

/** The fields of a message in the order in which they are written: `id` first. */
function fields<Type extends string, Others extends z.ZodRawShape>(type: Type, others: Others) {
  return {
    id: MessageId,
    type: z.literal(type),
    from: MemberName,
    to: MemberName,
    content: Content,
    timestamp: Timestamp,
    ...others,
  };
}

const request_id = RequestId;
const approve = z.boolean();
const reason = z.string().optional();
const hash = z.string().optional();

/** Parsing puts the fields of a message in the order of its schema. */
export const Message = z.discriminatedUnion("type", [
  z.object(
    fields("message", {
      task_id: TaskId.optional(),
      cron_id: CronId.optional(),
      images: z.array(ImageReference).optional(),
    }),
  ),
  z.object(fields("broadcast", {})),
  z.object(fields("result", { outcome: RunOutcome, woken_by_peers: z.boolean().optional() })),
  z.object(fields("idle_notification", {})),
  z.object(fields("task_assignment", { task_id: TaskId })),
  z.object(fields("plan_approval_request", { request_id, plan: z.string() })),
  z.object(fields("plan_approval_response", { request_id, approve, feedback: reason, hash })),
  z.object(fields("shutdown_request", { request_id })),
  z.object(fields("shutdown_response", { request_id, approve, reason })),
  z.object(
    fields("permission_request", { request_id, tool: z.string(), input: z.unknown(), reason }),
  ),
  z.object(
    fields("permission_response", {
      request_id,
      decision: z.enum(["allow-once", "allow-always", "deny"]),
      reason,
      hash,
    }),
  ),
  z.object(
    fields("team_permission_update", {
      rule: z.string(),
      decision: z.enum(["allow", "ask", "deny"]),
      removed: z.boolean().optional(),
    }),
  ),
  z.object(fields("mode_set_request", { mode: PermissionMode })),
  z.object(fields("withdraw_request", { message_id: MessageId })),
  z.looseObject(fields("sandbox_permission_request", {})),
  z.looseObject(fields("sandbox_permission_response", {})),
  z.object(fields("landing_notification", { landing_id: LandingId, landing_state: LandingState })),
  z.object(fields("mcp_notification", { server: z.string() })),
  z.object(
    fields("landing_decision", {
      landing_id: LandingId,
      commit: CommitId,
      decision: z.enum(["land", "discard"]),
      reason,
    }),
  ),
  z.object(
    fields("teammate_terminated", {
      reason,
      teammate: MemberName.optional(),
      expected: z.boolean().optional(),
    }),
  ),
]) satisfies z.ZodType<Message>;

/** A message before its mailbox gives it `to`, and `id` and `timestamp` where they are not set. */
export type MessageDraft = DistributiveDraft<Message>;
type DistributiveDraft<M> = M extends Message
  ? Omit<M, "id" | "to" | "timestamp" | "content"> & {
      id?: MessageId;
      timestamp?: number;
      content?: string;
    }
  : never;

/**
 * Where a message ends in its mailbox. Positions of one generation are ordered by `offset`. A
 * transcript stores it with the message, and so knows after a crash what it has already.
 */
export interface MailPosition {
  /** The number of the mailbox's log: it rises when a new log is begun. */
  generation: number;
  /** The byte in that log at which the message's line ends. */
  offset: number;
}
export const MailPosition = z.object({
  generation: z.number().int().nonnegative(),
  offset: z.number().int().nonnegative(),
}) satisfies z.ZodType<MailPosition>;

/** True when `content` is at most `maxContentBytes` long as UTF-8. */
export function isContentSize(content: string): boolean {
  // A UTF-16 unit is at most three bytes of UTF-8: most texts need no encoding to be judged.
  if (content.length * 3 <= maxContentBytes) return true;
  return new TextEncoder().encode(content).length <= maxContentBytes;
}
