import { createHash } from "node:crypto";
import type { JSONValue, SharedV3ProviderOptions } from "@ai-sdk/provider";
import { z } from "zod";
import type { TokenUsage } from "../../protocol/usage.ts";
import type { ModelRequest } from "../model.ts";
import type { ModelFacts } from "../model-facts.ts";
import {
  anthropicThinking,
  compatibleThinking,
  googleThinking,
  type ModelThinking,
  openAiThinking,
} from "./thinking.ts";

/** Differences between providers that the SDK does not hide. */
export interface Dialect {
  /** The name under which the SDK passes the provider's own data in both directions. */
  readonly namespace: string;
  /** False if a tool's result can be text only: its images follow in a separate message. */
  readonly showsImagesInResults: boolean;
  /** False if a result cannot be marked as an error, so that its text must say so. */
  readonly marksErrors: boolean;
  /** True if a reply may come back empty though the model had something to say. */
  readonly losesReplies: boolean;
  /** The ids of calls that the provider accepts; others are rewritten. */
  readonly callId: RegExp;
  /** The SDK's options of a request. */
  options?(request: Pick<ModelRequest, "system">): SharedV3ProviderOptions;
  /** True if the system prompt of a model can have a mark for OpenAI's cache. */
  marksSystem?(model: string): boolean;
  /** True if the requests of a model can have marks for Bedrock's cache. */
  marksForBedrock?(model: string): boolean;
  /** How a model is told to think; undefined if it cannot be told. */
  thinking?(model: string, facts: ModelFacts): ModelThinking;
  /** True if a thought with these data may be sent back. `all` are those of the whole reply. */
  takesThought(data: ThoughtData, all: readonly ThoughtData[]): boolean;
  /** For a provider whose thoughts the SDK does not pass on: reads them from the events of one reply. */
  collectThoughts?(): ThoughtCollector;
  /** The SDK's options of a reply that is sent back, by the data of its thoughts. */
  replyOptions?(thoughts: readonly ThoughtData[]): SharedV3ProviderOptions | undefined;
  /** The usage in an event, each number counted from the beginning of the reply. */
  usageIn(event: unknown): ReportedUsage | undefined;
  /**
   * Why the reply has ended, in an event that ends it. For a provider whose end the SDK reports only
   * when the connection is closed.
   */
  stopIn?(event: unknown): string | undefined;
  /** True for an event that the SDK does not know and that can be ignored. */
  ignores(event: unknown): boolean;
  /**
   * True once the provider has marked the reply as complete; the end of the connection is not
   * enough.
   */
  isComplete(ending: AnswerEnding): boolean;
}

/** The provider's own data of a thought. */
type ThoughtData = Readonly<Record<string, unknown>>;

/** Collects the provider's own data of one reply's thoughts. */
export interface ThoughtCollector {
  take(event: unknown): void;
  /** Undefined if there is none. */
  readonly data: Readonly<Record<string, JSONValue>> | undefined;
}

/** How a reply ended: according to its events, and to its bytes. */
type AnswerEnding = ReplyEnding & WireEnding;

export interface ReplyEnding {
  readonly lastEvent: unknown;
  /** The provider's own word for why the reply ended. */
  readonly rawStop: string | undefined;
}

export interface WireEnding {
  /** `data: [DONE]` has come: the end marker of OpenAI's streams. */
  readonly isDone: boolean;
  /** The body ended as HTTP requires. */
  readonly isCleanEnd: boolean;
}

/** Null: an impossible number was reported. */
export type ReportedUsage = { [Key in keyof TokenUsage]?: number | null };

/** No model reads or writes nearly as many in one call. */
const mostTokens = 100_000_000;
const Count = z.int().nonnegative().max(mostTokens);

/** Undefined if nothing is reported. */
const count = z
  .unknown()
  .optional()
  .transform((value) => {
    return value === undefined || value === null
      ? undefined
      : (Count.safeParse(value).data ?? null);
  });

const AnthropicUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: z.object({ ephemeral_1h_input_tokens: count }).nullish().catch(undefined),
});

const AnthropicEvent = z.object({
  type: z.string(),
  usage: AnthropicUsage.optional(),
  message: z.object({ usage: AnthropicUsage.optional() }).optional(),
});

const anthropicEvents: ReadonlySet<string> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
  "ping",
  "error",
]);

export const anthropic: Dialect = {
  namespace: "anthropic",
  showsImagesInResults: true,
  marksErrors: true,
  losesReplies: false,
  callId: /^[\w-]+$/,
  thinking: anthropicThinking,
  takesThought: (data) => "signature" in data || "redactedData" in data,
  usageIn(event) {
    const { data } = AnthropicEvent.safeParse(event);
    const usage = data?.message?.usage ?? data?.usage;
    if (!usage) return undefined;
    const written = usage.cache_creation_input_tokens;
    const forAnHour = usage.cache_creation?.ephemeral_1h_input_tokens;
    return known({
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      cache_read_tokens: usage.cache_read_input_tokens,
      cache_write_tokens: written,
      cache_write_1h_tokens: (forAnHour ?? 0) > (written ?? 0) ? null : forAnHour,
    });
  },
  // Anthropic adds types of events to its streams and asks clients to ignore unknown ones.
  ignores(event) {
    const type = AnthropicEvent.safeParse(event).data?.type;
    return type !== undefined && !anthropicEvents.has(type);
  },
  isComplete: ({ lastEvent }) => AnthropicEvent.safeParse(lastEvent).data?.type === "message_stop",
};

/** Tokens are written to the cache at a price of their own since GPT-5.6. */
const InputDetails = z.object({ cached_tokens: count, cache_write_tokens: count });

const ResponsesEvent = z.object({
  type: z.string(),
  response: z
    .object({
      incomplete_details: z.object({ reason: z.string() }).nullish(),
      // Only a refusal is looked for in it, so items of another form must not fail the event.
      output: z
        .array(z.object({ content: z.array(z.object({ type: z.string() })).nullish() }))
        .nullish()
        .catch(undefined),
      usage: z
        .object({
          input_tokens: count,
          output_tokens: count,
          input_tokens_details: InputDetails.nullish(),
        })
        .nullish(),
    })
    .optional(),
});

/** OpenAI's Responses API, without anything that is stored there. */
export const openAiResponses: Dialect = {
  namespace: "openai",
  showsImagesInResults: true,
  marksErrors: false,
  losesReplies: false,
  callId: /./,
  options: ({ system }) => ({ openai: { store: false, promptCacheKey: cacheKey(system) } }),
  // Since GPT-5.6. Before that, any beginning of a request that is repeated is found.
  marksSystem(model) {
    const [, major = 0, minor = 0] = (/^gpt-(\d+)(?:\.(\d+))?/.exec(model) ?? []).map(Number);
    return major > 5 || (major === 5 && minor >= 6);
  },
  thinking: openAiThinking,
  // A summary in several parts has the encrypted thought with the last of them only.
  takesThought: ({ itemId }, all) =>
    all.some(
      (data) => data.itemId === itemId && typeof data.reasoningEncryptedContent === "string",
    ),
  usageIn(event) {
    const usage = ResponsesEvent.safeParse(event).data?.response?.usage ?? undefined;
    return (
      usage &&
      known({
        ...promptUsage(usage.input_tokens, usage.input_tokens_details),
        output_tokens: usage.output_tokens,
      })
    );
  },
  stopIn(event) {
    const { type, response } = ResponsesEvent.safeParse(event).data ?? {};
    if (type === "response.incomplete") return response?.incomplete_details?.reason ?? "incomplete";
    if (type !== "response.completed") return undefined;
    const parts = response?.output?.flatMap(({ content }) => content ?? []) ?? [];
    return parts.some((part) => part.type === "refusal") ? "refusal" : "stop";
  },
  ignores: () => false,
  isComplete: ({ rawStop }) => rawStop !== undefined,
};

const ChatEvent = z.object({
  usage: z.object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: InputDetails.nullish(),
  }),
});

/** Chat completions, which OpenAI-compatible servers speak. */
export const chatCompletions: Dialect = {
  namespace: "openai-compatible",
  showsImagesInResults: false,
  marksErrors: false,
  losesReplies: true,
  callId: /./,
  thinking: compatibleThinking,
  takesThought: () => true,
  usageIn: chatUsage,
  ignores: () => false,
  // Not all of these servers send the marker, but all say why a reply has ended.
  isComplete: ({ isDone, isCleanEnd, rawStop }) => isDone || (isCleanEnd && rawStop !== undefined),
};

export function chatUsage(event: unknown): ReportedUsage | undefined {
  const usage = ChatEvent.safeParse(event).data?.usage;
  return (
    usage &&
    known({
      ...promptUsage(usage.prompt_tokens, usage.prompt_tokens_details),
      output_tokens: usage.completion_tokens,
    })
  );
}

const GoogleEvent = z.object({
  usageMetadata: z.object({
    promptTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
    cachedContentTokenCount: count,
  }),
});

export const google: Dialect = {
  namespace: "google",
  showsImagesInResults: true,
  marksErrors: false,
  losesReplies: true,
  callId: /./,
  thinking: googleThinking,
  takesThought: () => true,
  usageIn(event) {
    const usage = GoogleEvent.safeParse(event).data?.usageMetadata;
    return (
      usage &&
      known({
        ...promptUsage(usage.promptTokenCount, { cached_tokens: usage.cachedContentTokenCount }),
        output_tokens: sum(usage.candidatesTokenCount, usage.thoughtsTokenCount),
      })
    );
  },
  ignores: () => false,
  isComplete: ({ isCleanEnd, rawStop }) => isCleanEnd && rawStop !== undefined,
};

/**
 * Requests with one key are sent to one cache. The system prompt names the member and its directory,
 * so that the key is the same for all requests of a member, after a restart too.
 */
function cacheKey(system: string): string {
  return createHash("sha256").update(system).digest("hex").slice(0, 32);
}

type Reported = number | null | undefined;

/** Tokens read from the cache, and those written to it, are part of the prompt in these counts. */
function promptUsage(
  prompt: Reported,
  details: { cached_tokens?: Reported; cache_write_tokens?: Reported } | null | undefined,
): Partial<Record<keyof TokenUsage, Reported>> {
  const { cached_tokens: read = 0, cache_write_tokens: written } = details ?? {};
  const cached = (read ?? 0) + (written ?? 0);
  const isPossible = typeof prompt !== "number" || cached <= prompt;
  return {
    input_tokens: typeof prompt === "number" && isPossible ? prompt - cached : prompt,
    cache_read_tokens: isPossible ? read : null,
    cache_write_tokens: isPossible || written === undefined ? written : null,
  };
}

function sum(one: Reported, other: Reported): Reported {
  return one === null || other === null ? null : (one ?? 0) + (other ?? 0);
}

/** A later event does not repeat every number: a missing one keeps its value. */
function known(counts: Partial<Record<keyof TokenUsage, Reported>>): ReportedUsage {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== undefined));
}
