import type { ReplyBlock, StopReason } from "../../protocol/transcript.ts";
import type { ScriptedReply } from "../scripted-model.ts";
import type { ProviderApi } from "./provider-api.ts";

/** Google's Gemini API, streamed. The model is in the path, not in the body. */
export const googleWire: ProviderApi = {
  api: "google",
  path: /^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/,

  frames(reply) {
    const finishReason = reply.rawStop ?? finishReasons[reply.stop] ?? "OTHER";
    return [
      ...reply.blocks.map((block) => frame({ candidates: [{ content: contentOf(block) }] })),
      frame({ candidates: [{ finishReason }], usageMetadata: usageOf(reply) }),
    ];
  },

  errorFrame: (message) => frame({ error: { code: 503, message, status: "UNAVAILABLE" } }),

  errorBody: ({ status, message }) => ({ error: { code: status, message } }),
};

const finishReasons: Partial<Record<StopReason, string>> = {
  end: "STOP",
  "tool-calls": "STOP",
  length: "MAX_TOKENS",
  refusal: "SAFETY",
};

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\r\n\r\n`;
}

function contentOf(block: ReplyBlock): object {
  return { role: "model", parts: [partOf(block)] };
}

function partOf(block: ReplyBlock): object {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "thinking":
      return { text: block.text, thought: true };
    case "tool-call":
      return { functionCall: { name: block.name, args: block.input } };
  }
}

/** The API counts tokens read from its cache as part of the prompt. */
function usageOf({ usage }: ScriptedReply): object {
  return {
    promptTokenCount: usage.input_tokens + usage.cache_read_tokens,
    cachedContentTokenCount: usage.cache_read_tokens,
    candidatesTokenCount: usage.output_tokens,
  };
}
