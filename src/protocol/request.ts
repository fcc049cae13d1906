import { z } from "zod";
import { MemberName, MessageId, RequestId } from "./ids.ts";
import { ImageReference } from "./message.ts";

/**
 * What is asked for: that a member ends, that a plan is approved, that a call may run, or a value that
 * a program wants of the lead.
 */
export type RequestType = "shutdown" | "plan" | "permission" | "result";
export const RequestType = z.enum(["shutdown", "plan", "permission", "result"]);

/** `pending` until the request is decided; `expired`: nobody answered; `cancelled`: it is no longer asked. */
export type RequestState = "pending" | "approved" | "rejected" | "expired" | "cancelled";
export const RequestState = z.enum(["pending", "approved", "rejected", "expired", "cancelled"]);

/** The answer to a request: who gave it, and to exactly what. */
export interface RequestDecision {
  /** The request that it decides. */
  request_id: RequestId;
  /** The hash of the subject that was decided. An answer to another subject does not count. */
  hash: string;
  /** How the request was decided. */
  state: Exclude<RequestState, "pending">;
  /** Who decided. */
  by: MemberName;
  /** When: ISO 8601, in UTC. */
  at: string;
  /** What the member that asked is told. */
  reason?: string | undefined;
  /** The rule that the answer adds, if it applies to all such calls. */
  rule?: string | undefined;
  /** The value that a `result` asks for. */
  value?: unknown;
  /**
   * The message that brought the answer. Times cannot identify it, because the sender's clock may
   * differ.
   */
  cause?: MessageId | undefined;
}
export const RequestDecision = z.object({
  request_id: RequestId,
  hash: z.string(),
  state: RequestState.exclude(["pending"]),
  by: MemberName,
  at: z.iso.datetime(),
  reason: z.string().optional(),
  rule: z.string().optional(),
  value: z.unknown().optional(),
  cause: MessageId.optional(),
}) satisfies z.ZodType<RequestDecision>;

/** A decision as it is stored. */
export interface SignedDecision extends RequestDecision {
  /** The HMAC-SHA256, in hex, of all other fields. */
  sig: string;
}

/** The fields of every request. */
export interface RequestFields {
  /** Its id, which an answer names. */
  id: RequestId;
  /** Who asks. */
  from: MemberName;
  /** Who alone may approve or reject it; `user` is the person. */
  to: MemberName;
  /** SHA-256 in hex of `subject` in canonical JSON. */
  hash: string;
  /** When it was asked: ISO 8601, in UTC. */
  created_at: string;
  /** The request of the same member that this one replaces. */
  replaces?: RequestId | undefined;
  /** HMAC-SHA256 in hex of all above, and of the subject by its hash. */
  sig: string;
  /** Its state. */
  state: RequestState;
  /** The answer; null while it is pending. */
  decision: SignedDecision | null;
  /** The number of its changes, counted from 1. */
  version: number;
}

/** A member asks whether it may carry out a plan. */
export interface PlanRequest extends RequestFields {
  type: "plan";
  /** What exactly is asked. */
  subject: PlanSubject;
}

/** What a request for the approval of a plan asks. */
export interface PlanSubject {
  /** The text of the plan. */
  plan: string;
}

/** A member asks whether a call of a tool may run, or its commands reach a host. An approval allows exactly this. */
export interface PermissionRequest extends RequestFields {
  type: "permission";
  /** What exactly is asked. */
  subject: PermissionSubject;
}

/** The call that a request for permission asks about. */
export interface PermissionSubject {
  /** The name of the tool. */
  tool: string;
  /** The arguments of the call, as JSON data. */
  input: unknown;
  /** The id of the call, unique for its member. */
  call_id?: string | undefined;
  /** Why it is asked. */
  reason?: string | undefined;
  /** The rule that "always" adds; absent if no rule can allow such calls. */
  rule?: string | undefined;
  /** What the call would do, if its tool says so in words. */
  summary?: string | undefined;
  /** Set where no call is asked about, but whether the commands of the member may reach this host from their sandbox. */
  host?: string | undefined;
}

/** A member is asked to end. */
export interface ShutdownRequest extends RequestFields {
  type: "shutdown";
  /** What exactly is asked. */
  subject: ShutdownSubject;
}

/** The member that is asked to end. */
export interface ShutdownSubject {
  /** Its name. */
  teammate?: MemberName | undefined;
  /** The life of that name that is meant: a later one is not. */
  incarnation?: string | undefined;
}

/** A program asks the lead for a value, by `team.ask`. */
export interface ResultRequest extends RequestFields {
  type: "result";
  /** What exactly is asked. */
  subject: ResultSubject;
}

/** The value that a program asks for. */
export interface ResultSubject {
  /** What the lead is asked. */
  prompt: string;
  /** The images that the lead is shown. */
  images?: ImageReference[] | undefined;
  /** The JSON Schema that the value must match. */
  schema: Record<string, unknown>;
  /** The program's own name for the question, by which it continues it after a restart. */
  key?: string | undefined;
}

/**
 * A question of one of the protocols: `requests/<id>.json`. It is on disk before it is asked, and
 * is decided once, by `to` alone. Both the question and its decision are signed. Its `type` decides
 * what `subject` has.
 */
export type TeamRequest = PlanRequest | PermissionRequest | ShutdownRequest | ResultRequest;

/** Further fields of a subject are kept: its hash covers them. */
function request<Type extends RequestType, Subject extends z.ZodRawShape>(
  type: Type,
  subject: Subject,
) {
  return z.object({
    id: RequestId,
    type: z.literal(type),
    from: MemberName,
    to: MemberName,
    subject: z.looseObject(subject),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    created_at: z.iso.datetime(),
    replaces: RequestId.optional(),
    sig: z.string(),
    state: RequestState,
    decision: RequestDecision.extend({ sig: z.string() }).nullable(),
    version: z.int().positive(),
  });
}

const text = z.string();

export const TeamRequest = z.discriminatedUnion("type", [
  request("plan", { plan: text }),
  request("permission", {
    tool: text,
    input: z.unknown(),
    call_id: text.optional(),
    reason: text.optional(),
    rule: text.optional(),
    summary: text.optional(),
    host: text.optional(),
  }),
  request("shutdown", { teammate: MemberName.optional(), incarnation: text.optional() }),
  request("result", {
    prompt: text,
    images: z.array(ImageReference).optional(),
    schema: z.record(z.string(), z.unknown()),
    key: text.optional(),
  }),
]) satisfies z.ZodType<TeamRequest>;
