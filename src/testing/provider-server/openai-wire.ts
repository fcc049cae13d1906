import { z } from "zod";
import type { ReplyBlock, StopReason } from "../../protocol/transcript.ts";
import type { ScriptedReply } from "../scripted-model.ts";
import { inDeltas, inputJson, type ProviderApi, type RequestBody } from "./provider-api.ts";

/** OpenAI chat completions, streamed. */
export const openAiWire: ProviderApi = {
  api: "openai",
  path: "/v1/chat/completions",

  frames(reply, body) {
    const head = chunkHead(body);
    const chunk = (delta: object, finish_reason: string | null = null) =>
      frame({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
    return [
      chunk({ role: "assistant", content: "", refusal: null }),
      ...reply.blocks.flatMap((block, index) =>
        deltasOf(block, callIndex(reply, index)).map((delta) => chunk(delta)),
      ),
      chunk({}, reply.rawStop ?? finishReasons[reply.stop]),
      ...(wantsUsage(body) ? [frame({ ...head, choices: [], usage: usageOf(reply) })] : []),
      "data: [DONE]\n\n",
    ];
  },

  errorFrame: (message) =>
    frame({ error: { message, type: "server_error", param: null, code: null } }),

  errorBody: ({ status, message }) => ({
    error: { message, ...(errorKinds[status] ?? serverError) },
  }),
};

const finishReasons: Record<StopReason, string> = {
  end: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  refusal: "content_filter",
  pause: "pause",
  overflow: "overflow",
  other: "other",
};

const serverError = { type: "server_error", param: null, code: null };

const errorKinds: Record<number, object> = {
  400: { type: "invalid_request_error", param: null, code: null },
  401: { type: "invalid_request_error", param: null, code: "invalid_api_key" },
  403: { type: "invalid_request_error", param: null, code: "unsupported_country_region_territory" },
  404: { type: "invalid_request_error", param: null, code: "model_not_found" },
  429: { type: "requests", param: null, code: "rate_limit_exceeded" },
};

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function chunkHead({ model }: RequestBody): object {
  const id = `chatcmpl-${crypto.randomUUID()}`;
  return { id, object: "chat.completion.chunk", created: 1_767_225_600, model };
}

const UsageOption = z.object({ stream_options: z.object({ include_usage: z.literal(true) }) });

function wantsUsage(body: RequestBody): boolean {
  return UsageOption.safeParse(body).success;
}

/** The API counts tokens read from its cache as part of the prompt. */
function usageOf({ usage }: ScriptedReply): object {
  const prompt_tokens = usage.input_tokens + usage.cache_read_tokens;
  return {
    prompt_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: prompt_tokens + usage.output_tokens,
    prompt_tokens_details: { cached_tokens: usage.cache_read_tokens },
  };
}

/** The index counts only tool calls, not the texts between them. */
function callIndex({ blocks }: ScriptedReply, index: number): number {
  return blocks.slice(0, index).filter(({ type }) => type === "tool-call").length;
}

function deltasOf(block: ReplyBlock, index: number): object[] {
  switch (block.type) {
    case "text":
      return inDeltas(block.text).map((content) => ({ content }));
    case "thinking":
      // Not part of OpenAI's API; compatible servers send it for models that think.
      return inDeltas(block.text).map((reasoning_content) => ({ reasoning_content }));
    case "tool-call": {
      const { call_id: id, name, input } = block;
      return [
        { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
        ...inDeltas(inputJson(input)).map((text) => ({
          tool_calls: [{ index, function: { arguments: text } }],
        })),
      ];
    }
  }
}
