import { z } from "zod";
import type { ReplyBlock, StopReason } from "../../protocol/transcript.ts";
import type { ScriptedReply } from "../scripted-model.ts";
import { inDeltas, inputJson, type ProviderApi, type RequestBody } from "./provider-api.ts";

/** Anthropic Messages, streamed. */
export const anthropicWire: ProviderApi = {
  api: "anthropic",
  path: "/v1/messages",

  frames(reply, body) {
    return [
      frame({ type: "message_start", message: message(reply, body) }),
      frame({ type: "ping" }),
      ...reply.blocks.flatMap((block, index) => blockFrames(block, index)),
      frame({
        type: "message_delta",
        delta: { stop_reason: reply.rawStop ?? stopReasons[reply.stop], stop_sequence: null },
        usage: { output_tokens: reply.usage.output_tokens },
      }),
      frame({ type: "message_stop" }),
    ];
  },

  errorFrame: (message) => frame({ type: "error", error: { type: "overloaded_error", message } }),

  errorBody: ({ status, message }) => ({
    type: "error",
    error: { type: errorTypes[status] ?? "api_error", message },
    request_id: "req_scripted",
  }),
};

const stopReasons: Record<StopReason, string> = {
  end: "end_turn",
  "tool-calls": "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  pause: "pause_turn",
  overflow: "model_context_window_exceeded",
  other: "other",
};

const errorTypes: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

function frame(event: { type: string; [key: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function message({ usage }: ScriptedReply, { model }: RequestBody): object {
  const { cache_write_tokens, cache_write_1h_tokens = 0 } = usage;
  return {
    id: `msg_${crypto.randomUUID()}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input_tokens,
      cache_creation_input_tokens: cache_write_tokens,
      cache_creation: {
        ephemeral_5m_input_tokens: cache_write_tokens - cache_write_1h_tokens,
        ephemeral_1h_input_tokens: cache_write_1h_tokens,
      },
      cache_read_input_tokens: usage.cache_read_tokens,
      output_tokens: 1,
    },
  };
}

function blockFrames(block: ReplyBlock, index: number): string[] {
  const { start, deltas } = contentOf(block);
  return [
    frame({ type: "content_block_start", index, content_block: start }),
    ...deltas.map((delta) => frame({ type: "content_block_delta", index, delta })),
    frame({ type: "content_block_stop", index }),
  ];
}

function contentOf(block: ReplyBlock): { start: object; deltas: object[] } {
  switch (block.type) {
    case "text":
      return {
        start: { type: "text", text: "" },
        deltas: inDeltas(block.text).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return thought(block);
    case "tool-call":
      return {
        start: { type: "tool_use", id: block.call_id, name: block.name, input: {} },
        // The API begins with an empty delta. For an empty input it may send no other.
        deltas: ["", ...inDeltas(inputJson(block.input))].map((partial_json) => {
          return { type: "input_json_delta", partial_json };
        }),
      };
  }
}

const ThoughtData = z.object({
  anthropic: z.object({ signature: z.string().optional(), redactedData: z.string().optional() }),
});

/** The provider data that `thinks` and `thinksInSecret` store in a thinking block. */
export function thoughtData(block: ReplyBlock): z.infer<typeof ThoughtData>["anthropic"] {
  return ThoughtData.safeParse(block.provider).data?.anthropic ?? {};
}

function thought(block: ReplyBlock & { type: "thinking" }): { start: object; deltas: object[] } {
  const { signature, redactedData } = thoughtData(block);
  if (redactedData !== undefined) {
    return { start: { type: "redacted_thinking", data: redactedData }, deltas: [] };
  }
  return {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...inDeltas(block.text).map((thinking) => ({ type: "thinking_delta", thinking })),
      ...(signature === undefined ? [] : [{ type: "signature_delta", signature }]),
    ],
  };
}
