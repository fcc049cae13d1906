import type { ReplyBlock, StopReason } from "../../protocol/transcript.ts";
import type { ScriptedReply } from "../scripted-model.ts";
import type { ProviderApi } from "./provider-api.ts";

/** Google's Gemini API, streamed. The model is in the path, not in the body. */
export const googleWire: ProviderApi = {
  api: "google",
  path: /^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/,

  frames(reply) {
    const finishReason = reply.rawStop ?? finishReasons[reply.stop] ?? "OTHER";
    const signed = reply.blocks.find(({ type }) => type === "tool-call");
    return [
      ...reply.blocks.map((block) => {
        const part = { ...partOf(block), ...(block === signed && signatureOf(block)) };
        return frame({ candidates: [{ content: { role: "model", parts: [part] } }] });
      }),
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

/** Of parallel calls, only the first has a signature. */
function signatureOf(block: ReplyBlock): object {
  return block.type === "tool-call"
    ? { thoughtSignature: googleSignature(block.name, block.input) }
    : {};
}

/** The signature of the thoughts before a call, which has to come back with it. */
export function googleSignature(name: string, args: unknown): string {
  return Buffer.from(`signature of ${name} ${JSON.stringify(args)}`).toString("base64");
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
