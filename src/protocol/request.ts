import { z } from "zod";
import { MemberName, MessageId, RequestId } from "./ids.ts";

export const RequestType = z.enum(["shutdown", "plan", "permission", "result"]);
export type RequestType = z.infer<typeof RequestType>;

export const RequestState = z.enum(["pending", "approved", "rejected", "expired", "cancelled"]);
export type RequestState = z.infer<typeof RequestState>;

/** The signed answer to a request: who gave it, and to exactly what. */
export const RequestDecision = z.object({
  request_id: RequestId,
  /** The hash of the subject that was decided. An answer to another subject does not count. */
  hash: z.string(),
  state: RequestState.exclude(["pending"]),
  by: MemberName,
  at: z.iso.datetime(),
  reason: z.string().optional(),
  /** The rule that the answer adds, if it applies to all such calls. */
  rule: z.string().optional(),
  /** The value that a `result` asks for. */
  value: z.unknown().optional(),
  /**
   * The message that brought the answer. Times cannot identify it, because the sender's clock may
   * differ.
   */
  cause: MessageId.optional(),
});
export type RequestDecision = z.infer<typeof RequestDecision>;

/**
 * A question of one of the protocols: `requests/<id>.json`. It is on disk before it is asked, and
 * is decided once, by `to` alone. Both the question and its decision are signed.
 */
export const TeamRequest = z.object({
  id: RequestId,
  type: RequestType,
  from: MemberName,
  to: MemberName,
  /** What exactly is asked: the plan's text, the tool call, … */
  subject: z.record(z.string(), z.unknown()),
  /** SHA-256 in hex of `subject` in canonical JSON. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.iso.datetime(),
  /** The request of the same member that this one replaces. */
  replaces: RequestId.optional(),
  /** HMAC-SHA256 in hex of all above but the subject, which `hash` represents. */
  sig: z.string(),
  state: RequestState,
  decision: RequestDecision.extend({ sig: z.string() }).nullable(),
  version: z.int().positive(),
});
export type TeamRequest = z.infer<typeof TeamRequest>;
