import { z } from "zod";
import type { Usage } from "../../protocol/usage.ts";

/** What differs between providers beyond what the SDK evens out. */
export interface Dialect {
  /** Under this name the SDK hands out, and wants back, what belongs to the provider. */
  readonly namespace: string;
  /** False where a tool's result can be text only: its images follow in a message of their own. */
  readonly showsImagesInResults: boolean;
  /** False where a result cannot be marked as an error, so that its text must say so. */
  readonly marksErrors: boolean;
  /** The ids of calls that the provider accepts; others are rewritten. */
  readonly callId: RegExp;
  /** True if a thought with these data may be sent back. */
  takesThought(data: Readonly<Record<string, unknown>>): boolean;
  /** What an event reports of the usage, each number counted from the beginning of the reply. */
  usageIn(event: unknown): ReportedUsage | undefined;
  /** True for an event that the SDK does not know and that need not be known. */
  ignores(event: unknown): boolean;
  /** True once the provider has said that the reply is over, and not only the connection. */
  isComplete(ending: AnswerEnding): boolean;
}

/** How a reply came to its end: as its events say, and as its bytes say. */
type AnswerEnding = ReplyEnding & WireEnding;

export interface ReplyEnding {
  readonly lastEvent: unknown;
  /** The provider's own word for why the reply ended. */
  readonly rawStop: string | undefined;
}

export interface WireEnding {
  /** `data: [DONE]` has come: the end marker of OpenAI's streams. */
  readonly isDone: boolean;
  /** The body ended as HTTP says a body ends. */
  readonly isCleanEnd: boolean;
}

/** Null: a number was reported that cannot be true. */
type ReportedUsage = { [Key in keyof Usage]?: number | null };

/** No model takes in or writes nearly as much in one call. */
const mostTokens = 100_000_000;
const Count = z.int().nonnegative().max(mostTokens);

/** Undefined where nothing is reported. */
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
  callId: /^[\w-]+$/,
  takesThought: (data) => "signature" in data || "redactedData" in data,
  usageIn(event) {
    const { data } = AnthropicEvent.safeParse(event);
    const usage = data?.message?.usage ?? data?.usage;
    return (
      usage &&
      known({
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_input_tokens,
        cache_write_tokens: usage.cache_creation_input_tokens,
      })
    );
  },
  // Anthropic adds kinds of events to its streams and asks clients to pass over them.
  ignores(event) {
    const type = AnthropicEvent.safeParse(event).data?.type;
    return type !== undefined && !anthropicEvents.has(type);
  },
  isComplete: ({ lastEvent }) => AnthropicEvent.safeParse(lastEvent).data?.type === "message_stop",
};

const OpenAiEvent = z.object({
  usage: z.object({
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
  }),
});

export const openAi: Dialect = {
  namespace: "openai",
  showsImagesInResults: false,
  marksErrors: false,
  callId: /./,
  takesThought: () => true,
  usageIn(event) {
    const usage = OpenAiEvent.safeParse(event).data?.usage;
    return (
      usage &&
      known({
        ...promptUsage(usage.prompt_tokens, usage.prompt_tokens_details?.cached_tokens),
        output_tokens: usage.completion_tokens,
      })
    );
  },
  ignores: () => false,
  isComplete: ({ isDone }) => isDone,
};

export const openAiCompatible: Dialect = {
  ...openAi,
  namespace: "openai-compatible",
  // Not all of these servers send the marker, but all say why a reply has ended.
  isComplete: ({ isDone, isCleanEnd, rawStop }) => isDone || (isCleanEnd && rawStop !== undefined),
};

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
  callId: /./,
  takesThought: () => true,
  usageIn(event) {
    const usage = GoogleEvent.safeParse(event).data?.usageMetadata;
    return (
      usage &&
      known({
        ...promptUsage(usage.promptTokenCount, usage.cachedContentTokenCount),
        output_tokens: sum(usage.candidatesTokenCount, usage.thoughtsTokenCount),
      })
    );
  },
  ignores: () => false,
  isComplete: ({ isCleanEnd, rawStop }) => isCleanEnd && rawStop !== undefined,
};

type Reported = number | null | undefined;

/** What was read from the cache is part of the prompt in these providers' count. */
function promptUsage(
  prompt: Reported,
  cached: Reported,
): Record<"input_tokens" | "cache_read_tokens", Reported> {
  if (typeof prompt !== "number" || typeof cached !== "number") {
    return { input_tokens: prompt, cache_read_tokens: cached ?? (cached === null ? null : 0) };
  }
  const isPossible = cached <= prompt;
  return {
    input_tokens: isPossible ? prompt - cached : prompt,
    cache_read_tokens: isPossible ? cached : null,
  };
}

function sum(one: Reported, other: Reported): Reported {
  return one === null || other === null ? null : (one ?? 0) + (other ?? 0);
}

/** A later event does not repeat every number: what it leaves out keeps its value. */
function known(counts: Partial<Record<keyof Usage, Reported>>): ReportedUsage {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== undefined));
}
