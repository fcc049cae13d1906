import { createHash } from "node:crypto";
import { z } from "zod";
import type { ReplyBlock, StopReason } from "../../protocol/transcript.ts";
import type { ScriptedReply } from "../scripted-model.ts";
import { thoughtData } from "./anthropic-wire.ts";
import { openAiWire } from "./openai-wire.ts";
import { inDeltas, inputJson, type ProviderApi, type RequestBody } from "./provider-api.ts";

/** OpenAI's Responses API, streamed. */
export const responsesWire: ProviderApi = {
  api: "openai-responses",
  path: "/v1/responses",

  frames(reply, body) {
    const { model } = body;
    const id = `resp_${crypto.randomUUID()}`;
    const response = { id, object: "response", created_at: 1_767_225_600, model };
    const incomplete = incompleteReasons[reply.stop];
    const reason = reply.rawStop ?? incomplete;
    const end = {
      ...response,
      status: reason ? "incomplete" : "completed",
      incomplete_details: reason ? { reason } : null,
      usage: usageOf(reply),
    };
    const events = [
      { type: "response.created", response: { ...response, status: "in_progress" } },
      ...reply.blocks.flatMap((block, index) => itemEvents(block, index, body)),
      { type: reason ? "response.incomplete" : "response.completed", response: end },
    ];
    return events.map((event, sequence_number) => frame({ sequence_number, ...event }));
  },

  errorFrame: (message) =>
    frame({ type: "error", code: "server_error", message, param: null, sequence_number: 0 }),

  errorBody: openAiWire.errorBody,
};

const incompleteReasons: Partial<Record<StopReason, string>> = {
  length: "max_output_tokens",
  refusal: "content_filter",
  other: "other",
};

type ResponsesEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

function frame(event: ResponsesEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The API counts tokens read from its cache, and those written to it, as part of the input. */
function usageOf({ usage }: ScriptedReply): object {
  const { cache_read_tokens, cache_write_tokens } = usage;
  const input_tokens = usage.input_tokens + cache_read_tokens + cache_write_tokens;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: cache_read_tokens, cache_write_tokens },
    output_tokens: usage.output_tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input_tokens + usage.output_tokens,
  };
}

function itemEvents(block: ReplyBlock, output_index: number, body: RequestBody): ResponsesEvent[] {
  const { begun, done, deltas } = itemOf(block, body);
  const place = { item_id: begun.id, output_index };
  return [
    { type: "response.output_item.added", output_index, item: begun },
    ...deltas.map((delta) => ({ ...place, ...delta })),
    {
      type: "response.output_item.done",
      output_index,
      item: { ...begun, status: "completed", ...done },
    },
  ];
}

interface StreamedItem {
  readonly begun: { readonly id: string } & Readonly<Record<string, unknown>>;
  /** The fields that are different at its end. */
  readonly done: object;
  readonly deltas: readonly ResponsesEvent[];
}

function itemOf(block: ReplyBlock, body: RequestBody): StreamedItem {
  switch (block.type) {
    case "text": {
      const begun = { id: `msg_${crypto.randomUUID()}`, type: "message", role: "assistant" };
      const content = [{ type: "output_text", text: block.text, annotations: [] }];
      const deltas = inDeltas(block.text).map((delta) => {
        return { type: "response.output_text.delta", content_index: 0, delta };
      });
      return { begun: { ...begun, content: [] }, done: { content }, deltas };
    }
    case "thinking":
      return thoughtItem(block, body);
    case "tool-call": {
      const { call_id, name } = block;
      const text = inputJson(block.input);
      const begun = { id: `fc_${crypto.randomUUID()}`, type: "function_call", call_id, name };
      const deltas = inDeltas(text).map((delta) => {
        return { type: "response.function_call_arguments.delta", delta };
      });
      return { begun: { ...begun, arguments: "" }, done: { arguments: text }, deltas };
    }
  }
}

const EncryptedThoughts = z.looseObject({
  include: z.array(z.string()).refine((include) => include.includes("reasoning.encrypted_content")),
});

/** A thought. Without a stored response, only its encrypted text lets a model have it again. */
function thoughtItem(block: ReplyBlock & { type: "thinking" }, body: RequestBody): StreamedItem {
  const { signature, redactedData } = thoughtData(block);
  const isEncrypted = EncryptedThoughts.safeParse(body).success;
  const seal = { encrypted_content: isEncrypted ? (redactedData ?? signature ?? null) : null };
  const begun = { id: reasoningId(block), type: "reasoning", ...seal };
  if (block.text === "") return { begun: { ...begun, summary: [] }, done: {}, deltas: [] };
  const place = { summary_index: 0 };
  const part = { type: "summary_text", text: block.text };
  return {
    begun: { ...begun, summary: [] },
    done: { summary: [part] },
    deltas: [
      { type: "response.reasoning_summary_part.added", ...place, part: { ...part, text: "" } },
      ...inDeltas(block.text).map((delta) => {
        return { type: "response.reasoning_summary_text.delta", ...place, delta };
      }),
      { type: "response.reasoning_summary_part.done", ...place, part },
    ],
  };
}

/** The same thought has the same id, so that a test can tell which one comes back. */
function reasoningId({ text, provider }: ReplyBlock & { type: "thinking" }): string {
  const hash = createHash("sha256").update(JSON.stringify([text, provider]));
  return `rs_${hash.digest("hex").slice(0, 32)}`;
}
