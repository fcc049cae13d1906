import { z } from "zod";
import { MemberName, MessageId, RequestId, TaskId } from "./ids.ts";

/** The largest `content` in bytes of UTF-8. Larger texts belong in a file whose path is sent. */
export const maxContentBytes = 256 * 1024;

export const RunOutcome = z.enum(["done", "failed", "turn-limit", "budget", "interrupted"]);
export type RunOutcome = z.infer<typeof RunOutcome>;

export const PermissionMode = z.enum(["default", "acceptEdits", "plan", "bypassPermissions"]);
export type PermissionMode = z.infer<typeof PermissionMode>;

const Content = z
  .string()
  .refine(isContentSize, `is larger than ${maxContentBytes} bytes`)
  .default("");

/** An image that belongs to a message. Its content is in a file of the team that is named after its hash. */
export const ImageReference = z.object({
  media_type: z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
});
export type ImageReference = z.infer<typeof ImageReference>;

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
/** The hash of the question that was shown. An answer to anything else is ignored. */
const hash = z.string().optional();

/**
 * A message to a member, as it is in a mailbox. Written once, never edited. Parsing puts its fields
 * in the order of the schema.
 */
export const Message = z.discriminatedUnion("type", [
  z.object(
    fields("message", { task_id: TaskId.optional(), images: z.array(ImageReference).optional() }),
  ),
  z.object(fields("broadcast", {})),
  z.object(
    fields("result", {
      outcome: RunOutcome,
      /** True if only teammates' mail had woken the run: then it need not wake the lead at once. */
      woken_by_peers: z.boolean().optional(),
    }),
  ),
  z.object(fields("idle_notification", {})),
  z.object(fields("task_assignment", { task_id: TaskId })),
  z.object(fields("plan_approval_request", { request_id, plan: z.string() })),
  z.object(
    fields("plan_approval_response", {
      request_id,
      approve,
      feedback: z.string().optional(),
      hash,
    }),
  ),
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
      /** True where the rule no longer applies. */
      removed: z.boolean().optional(),
    }),
  ),
  z.object(fields("mode_set_request", { mode: PermissionMode })),
  // The two reserved types: their fields are not fixed yet, so all of them are kept.
  z.looseObject(fields("sandbox_permission_request", {})),
  z.looseObject(fields("sandbox_permission_response", {})),
  z.object(
    fields("teammate_terminated", {
      reason,
      teammate: MemberName.optional(),
      /** True if somebody had asked for it: then it wakes nobody. */
      expected: z.boolean().optional(),
    }),
  ),
]);
export type Message = z.infer<typeof Message>;

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
export const MailPosition = z.object({
  generation: z.number().int().nonnegative(),
  offset: z.number().int().nonnegative(),
});
export type MailPosition = z.infer<typeof MailPosition>;

/**
 * Reads older spellings as today's: `ts`, `shutdown_approved` and `shutdown_rejected`, and a
 * `plan_approval_response` that carries a plan and decides nothing.
 */
export function modernize(record: Record<string, unknown>): Record<string, unknown> {
  if ("ts" in record && !("timestamp" in record)) {
    const { ts: timestamp, ...rest } = record;
    return modernize({ ...rest, timestamp });
  }
  switch (record.type) {
    case "shutdown_approved":
      return { ...record, type: "shutdown_response", approve: true };
    case "shutdown_rejected":
      return { ...record, type: "shutdown_response", approve: false };
    case "plan_approval_response":
      if ("plan" in record && !("approve" in record)) {
        return { ...record, type: "plan_approval_request" };
      }
  }
  return record;
}

/** True when `content` is at most `maxContentBytes` long as UTF-8. */
export function isContentSize(content: string): boolean {
  // A UTF-16 unit is at most three bytes of UTF-8: most texts need no encoding to be judged.
  if (content.length * 3 <= maxContentBytes) return true;
  return new TextEncoder().encode(content).length <= maxContentBytes;
}
