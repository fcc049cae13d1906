import { expect, test } from "vitest";
import type { FailureKind } from "../../src/model/model-failure.ts";
import { status } from "../../src/testing/provider-server/answers.ts";
import { failureOf } from "./ai-sdk-support.ts";

/** Word for word as the providers write them. */
const words: [string, FailureKind, number, object][] = [
  [
    "anthropic",
    "no-credit",
    400,
    anthropicError(
      "invalid_request_error",
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
    ),
  ],
  [
    "anthropic",
    "no-credit",
    400,
    anthropicError(
      "invalid_request_error",
      "You have reached your specified API usage limits. You will regain access on 2026-02-01 at 00:00 UTC.",
    ),
  ],
  [
    "anthropic",
    "too-long",
    400,
    anthropicError("invalid_request_error", "prompt is too long: 214003 tokens > 200000 maximum"),
  ],
  [
    "anthropic",
    "too-long",
    400,
    anthropicError(
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 197202 + 8000 > 200000, decrease input length or `max_tokens` and try again",
    ),
  ],
  [
    "anthropic",
    "bad-image",
    400,
    anthropicError("invalid_request_error", "Could not process image"),
  ],
  [
    "anthropic",
    "bad-image",
    400,
    anthropicError(
      "invalid_request_error",
      "messages.2.content.0.tool_result.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    ),
  ],
  [
    "anthropic",
    "bad-request",
    400,
    anthropicError(
      "invalid_request_error",
      "tools.3.custom.name: String should match pattern, but is 'make image'",
    ),
  ],
  [
    "openai",
    "bad-image",
    400,
    openAiError(
      "invalid_image_format",
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    ),
  ],
  [
    "openai-compatible",
    "bad-image",
    404,
    { error: { message: "No endpoints found that support image input", code: 404 } },
  ],
  [
    "google",
    "bad-image",
    400,
    {
      error: {
        code: 400,
        message: "Unable to process input image. Please retry or report in the forum",
        status: "INVALID_ARGUMENT",
      },
    },
  ],
  [
    "anthropic",
    "too-long",
    413,
    anthropicError("request_too_large", "Request exceeds the maximum size"),
  ],
  [
    "anthropic",
    "bad-request",
    400,
    anthropicError(
      "invalid_request_error",
      "max_tokens: 8000 > 4096, which is the maximum allowed number of output tokens for claude-3-opus",
    ),
  ],
  ["anthropic", "unknown-model", 404, anthropicError("not_found_error", "model: claude-nonsense")],
  [
    "anthropic",
    "rate-limited",
    429,
    anthropicError(
      "rate_limit_error",
      "This request would exceed your organization's rate limit of 50,000 input tokens per minute",
    ),
  ],
  [
    "openai",
    "no-credit",
    429,
    openAiError(
      "insufficient_quota",
      "You exceeded your current quota, please check your plan and billing details.",
    ),
  ],
  [
    "openai",
    "no-credit",
    429,
    openAiError(
      "billing_not_active",
      "Your account is not active, please check your billing details on our website.",
    ),
  ],
  [
    "openai",
    "too-long",
    400,
    openAiError(
      "context_length_exceeded",
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ),
  ],
  [
    "openai",
    "too-long",
    429,
    openAiError(
      "rate_limit_exceeded",
      "Request too large for gpt-4.1 in organization org-x on tokens per min (TPM): Limit 30000, Requested 50000.",
    ),
  ],
  [
    "openai",
    "bad-key",
    401,
    openAiError("invalid_api_key", "Incorrect API key provided: sk-abc***xyz."),
  ],
  [
    "openai",
    "unknown-model",
    403,
    openAiError("model_not_found", "Project `proj_x` does not have access to model `gpt-4.1`"),
  ],
  [
    "openai",
    "unknown-model",
    404,
    openAiError(
      "model_not_found",
      "The model `gpt-nonsense` does not exist or you do not have access to it.",
    ),
  ],
  [
    "openai-compatible",
    "unknown-model",
    404,
    { error: 'model "llama9" not found, try pulling it first' },
  ],
  [
    "openai-compatible",
    "unknown-model",
    400,
    { error: { message: "llama9 is not a valid model ID", code: 400 } },
  ],
  [
    "openai-compatible",
    "too-long",
    400,
    {
      error: {
        code: 400,
        message: "the request exceeds the available context size",
        type: "exceed_context_size_error",
      },
    },
  ],
  [
    "openai-compatible",
    "no-credit",
    402,
    { error: { message: "Insufficient Balance", type: "unknown_error" } },
  ],
];
test.each(words)(
  "P17 %s's message for %s is understood with a status of %i",
  async (provider, kind, code, body) => {
    const failure = await failureOf(`${provider}/some-model`, status(code, body));

    expect(failure.kind).toBe(kind);
  },
);

function anthropicError(type: string, message: string): object {
  return { type: "error", error: { type, message }, request_id: "req_1" };
}

function openAiError(code: string, message: string): object {
  return { error: { message, type: code, param: null, code } };
}
