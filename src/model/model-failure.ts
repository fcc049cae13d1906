import { z } from "zod";

/**
 * How a call of a model failed.
 *
 * - `rate-limited`: 429, too much at once.
 * - `overloaded`: 529, 503, the provider is overloaded.
 * - `server`: 5xx, or an error event inside the stream.
 * - `network`: no connection, or it broke before the answer began.
 * - `unreachable`: there is no such host, or nothing listens there; a mistake, unless it has answered
 *   before.
 * - `untrusted`: the host's certificate is not trusted.
 * - `proxy-refused`: the proxy does not connect to the host, or not with these credentials.
 * - `no-headers`: no response headers within the time allowed.
 * - `stalled`: nothing more came for too long.
 * - `cut`: the stream ended before the provider's end marker.
 * - `malformed`: the answer is not in the provider's format.
 * - `oversized`: the answer is larger than the limit. There is no retry.
 * - `bad-key`, `no-credit`, `unknown-model`, `bad-request`: the provider refuses the request.
 * - `too-long`: the conversation does not fit the model's context.
 * - `bad-image`: the provider does not take an image of the conversation.
 * - `aborted`: its signal was aborted.
 */
export type FailureKind =
  | "rate-limited"
  | "overloaded"
  | "server"
  | "network"
  | "unreachable"
  | "untrusted"
  | "proxy-refused"
  | "no-headers"
  | "stalled"
  | "cut"
  | "malformed"
  | "oversized"
  | "bad-key"
  | "no-credit"
  | "unknown-model"
  | "too-long"
  | "bad-image"
  | "bad-request"
  | "aborted";
export const FailureKind = z.enum([
  ...["rate-limited", "overloaded", "server", "network", "unreachable", "untrusted"],
  ...["proxy-refused", "no-headers", "stalled", "cut", "malformed", "oversized", "bad-key"],
  ...["no-credit", "unknown-model", "too-long", "bad-image", "bad-request", "aborted"],
] as const satisfies FailureKind[]);

/** Why a call of a model failed, in words for the person. */
export interface ModelFailure {
  /** What kind of failure it is, which decides whether the call is repeated. */
  readonly kind: FailureKind;
  /** What went wrong, in one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
  /** The pause that the provider asks for, in milliseconds. */
  readonly retryAfterMs?: number;
}
export const ModelFailure = z.object({
  kind: FailureKind,
  message: z.string(),
  hint: z.string().exactOptional(),
  retryAfterMs: z.number().exactOptional(),
}) satisfies z.ZodType<ModelFailure>;

const worthRetrying: ReadonlySet<FailureKind> = new Set<FailureKind>([
  "rate-limited",
  "overloaded",
  "server",
  "network",
  "unreachable",
  "no-headers",
  "stalled",
  "cut",
  "malformed",
]);

/** True if the same request may succeed later. */
export function isRetryable({ kind }: ModelFailure): boolean {
  return worthRetrying.has(kind);
}
