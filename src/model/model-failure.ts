import { z } from "zod";

export const FailureKind = z.enum([
  /** 429: too much at once. */
  "rate-limited",
  /** 529, 503: the provider is overloaded. */
  "overloaded",
  /** 5xx, or an error event inside the stream. */
  "server",
  /** No connection, or it broke before the answer began. */
  "network",
  /** There is no such host, or nothing listens there: a mistake, unless it has answered before. */
  "unreachable",
  /** The host's certificate is not trusted. */
  "untrusted",
  /** The proxy does not connect to the host, or not with these credentials. */
  "proxy-refused",
  /** No response headers within the time allowed. */
  "no-headers",
  /** Nothing more came for too long. */
  "stalled",
  /** The stream ended before the provider's end marker. */
  "cut",
  /** The answer is not in the provider's format. */
  "malformed",
  /** The answer is larger than the limit. There is no retry. */
  "oversized",
  "bad-key",
  "no-credit",
  "unknown-model",
  /** The conversation does not fit the model's context. */
  "too-long",
  "bad-request",
  "aborted",
]);
export type FailureKind = z.infer<typeof FailureKind>;

/** Why a call of a model failed, in words for the person. */
export const ModelFailure = z.object({
  kind: FailureKind,
  message: z.string(),
  hint: z.string().exactOptional(),
  /** The pause that the provider asks for. */
  retryAfterMs: z.number().exactOptional(),
});
export type ModelFailure = Readonly<z.infer<typeof ModelFailure>>;

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
