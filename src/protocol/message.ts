import { z } from "zod";
import { MemberName, MessageId, RequestId, TaskId } from "./ids.ts";

/** The largest `content` in bytes of UTF-8. Larger texts belong in a file whose path is sent. */
export const maxContentBytes = 256 * 1024;

export const Outcome = z.enum(["done", "failed", "turn-limit", "budget", "interrupted"]);
export type Outcome = z.infer<typeof Outcome>;

export const PermissionMode = z.enum(["default", "acceptEdits", "plan", "bypassPermissions"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

const Content = z
  .string()
  .refine(isContentSize, `is larger than ${maxContentBytes} bytes`)
  .default("");

/** What every message has, in the order in which it is written: `id` comes first. */
const envelope = {
  id: MessageId,
  from: MemberName,
  to: MemberName,
  content: Content,
  timestamp: z.number(),
};

/** What one party says to a member, as it lies in a mailbox. Written once, never edited. */
export const Message = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), ...envelope, task_id: TaskId.optional() }),
  z.object({ type: z.literal("broadcast"), ...envelope }),
  z.object({ type: z.literal("result"), ...envelope, outcome: Outcome }),
  z.object({ type: z.literal("idle_notification"), ...envelope }),
  z.object({ type: z.literal("task_assignment"), ...envelope, task_id: TaskId }),
  z.object({
    type: z.literal("plan_approval_request"),
    ...envelope,
    request_id: RequestId,
    plan: z.string(),
  }),
  z.object({
    type: z.literal("plan_approval_response"),
    ...envelope,
    request_id: RequestId,
    approve: z.boolean(),
    feedback: z.string().optional(),
  }),
  z.object({ type: z.literal("shutdown_request"), ...envelope, request_id: RequestId }),
  z.object({
    type: z.literal("shutdown_response"),
    ...envelope,
    request_id: RequestId,
    approve: z.boolean(),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal("permission_request"),
    ...envelope,
    request_id: RequestId,
    tool: z.string(),
    input: z.unknown(),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal("permission_response"),
    ...envelope,
    request_id: RequestId,
    decision: z.enum(["allow-once", "allow-always", "deny"]),
    reason: z.string().optional(),
  }),
  z.object({
    type: z.literal("team_permission_update"),
    ...envelope,
    rule: z.string(),
    decision: z.enum(["allow", "ask", "deny"]),
  }),
  z.object({ type: z.literal("mode_set_request"), ...envelope, mode: PermissionMode }),
  // The two reserved types: their fields are not fixed yet, so all of them are kept.
  z.looseObject({ type: z.literal("sandbox_permission_request"), ...envelope }),
  z.looseObject({ type: z.literal("sandbox_permission_response"), ...envelope }),
  z.object({ type: z.literal("teammate_terminated"), ...envelope, reason: z.string().optional() }),
]);
export type Message = z.infer<typeof Message>;
export type MessageType = Message["type"];

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
export const Position = z.object({
  generation: z.number().int().nonnegative(),
  offset: z.number().int().nonnegative(),
});
export type Position = z.infer<typeof Position>;

/**
 * Reads older spellings as today's: `ts`, `shutdown_approved` and `shutdown_rejected`, and a
 * `plan_approval_response` that carries a plan and decides nothing.
 */
export function modernize(record: Record<string, unknown>): Record<string, unknown> {
  const modern = { ...record };
  if ("ts" in modern && !("timestamp" in modern)) {
    modern.timestamp = modern.ts;
    delete modern.ts;
  }
  switch (modern.type) {
    case "shutdown_approved":
      return { ...modern, type: "shutdown_response", approve: true };
    case "shutdown_rejected":
      return { ...modern, type: "shutdown_response", approve: false };
    case "plan_approval_response":
      if ("plan" in modern && !("approve" in modern)) modern.type = "plan_approval_request";
  }
  return modern;
}

/** True when `content` is at most `maxContentBytes` long as UTF-8. */
export function isContentSize(content: string): boolean {
  // A UTF-16 unit is at most three bytes of UTF-8: most texts need no encoding to be judged.
  if (content.length * 3 <= maxContentBytes) return true;
  return new TextEncoder().encode(content).length <= maxContentBytes;
}
