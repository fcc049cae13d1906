import type {
  LanguageModelV3,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { z } from "zod";
import { TeamError } from "../errors.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { Secrets } from "../lib/secrets.ts";
import { limits, maxBlocks } from "./ai-sdk/body-limits.ts";
import type { Dialect } from "./ai-sdk/dialect.ts";
import { withoutEmptyReply } from "./ai-sdk/empty-reply.ts";
import { type Account, broken, diagnose } from "./ai-sdk/failure.ts";
import { isNetworkError } from "./ai-sdk/network-problem.ts";
import { isClaudeOnBedrock } from "./ai-sdk/package-thinking.ts";
import { PromptWriter } from "./ai-sdk/prompt-writer.ts";
import { getsNoSummary, withoutRefusedSummary } from "./ai-sdk/refused-summary.ts";
import { ReplyReader } from "./ai-sdk/reply-reader.ts";
import { mergedOptions, summaryLeftOut, thinkingFor } from "./ai-sdk/request-options.ts";
import { StreamWatch } from "./ai-sdk/stream-watch.ts";
import type { ModelThinking } from "./ai-sdk/thinking.ts";
import type { Watchdogs, WireFailure } from "./ai-sdk/watched-request.ts";
import { takesImage } from "./image-support.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";
import type { ModelFacts } from "./model-facts.ts";
import type { ModelFailure } from "./model-failure.ts";

/** How a model of the AI SDK is used in a team. */
export interface LanguageModelOptions {
  /** The id for people, prices and bills (default: `<provider>/<model>`). */
  readonly id?: string;
  /** Measures the provider's silence (default: the clock of this machine). */
  readonly clock?: Clock;
  /** How long the provider may be silent (default: 300 s at first, then 90 s). */
  readonly watchdogs?: Partial<Watchdogs>;
}

/**
 * A model of a provider package of the AI SDK, version 6. The type lists only what tells such models
 * from others and not the SDK's own types, so that its packages need not be installed.
 */
export interface SdkLanguageModel {
  /** `v3` is that of version 6. */
  readonly specificationVersion: string;
  /** The provider's name as its package states it, such as `anthropic.messages`. */
  readonly provider: string;
  /** The model's name at its provider. */
  readonly modelId: string;
  /** Requests one reply, and resolves to the stream of its parts. */
  doStream(options: never): PromiseLike<{ readonly stream: unknown }>;
}

/**
 * A model of any provider package of the AI SDK: `aiSdkModel(bedrock("…"))`. The package sends the
 * requests itself, so that only its own reports tell whether a reply is complete.
 */
export function aiSdkModel(model: SdkLanguageModel, options: LanguageModelOptions = {}): Model {
  return packageModel(model, options);
}

interface PackageModelOptions extends LanguageModelOptions {
  /** What is known of the model. */
  readonly facts?: Pick<ModelFacts, "images">;
  /** What is known of the provider, for messages. */
  readonly account?: Partial<Account>;
  /** The SDK's options of every request. */
  readonly requestOptions?: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly thinking?: ModelThinking;
  /** The accounts that get no summaries of thoughts (default: none is known). */
  readonly withoutSummaries?: Set<string>;
}

/** `aiSdkModel` with what only troupe itself knows. */
export function packageModel(model: SdkLanguageModel, options: PackageModelOptions): Model {
  if (!isUsable(model)) {
    throw new TeamError("config-invalid", "The model is not one of the AI SDK, version 6 or 7", {
      hint: `Its specification is ${model.specificationVersion}; use a version of its package whose models have v3 or v4.`,
    });
  }
  return new PackageModel(model, options);
}

/** The next specification differs only in the form of files, among what is used here. */
function isUsable(model: SdkLanguageModel): model is LanguageModelV3 {
  return ["v3", "v4"].includes(model.specificationVersion);
}

class PackageModel implements Model {
  readonly id: string;
  readonly #model: LanguageModelV3;
  readonly #provider: string;
  readonly #dialect: Dialect;
  readonly #writer: PromptWriter;
  readonly #clock: Clock;
  readonly #watchdogs: Watchdogs;
  readonly #options: PackageModelOptions;
  readonly #account: Account;
  readonly #summaries: Parameters<typeof getsNoSummary>[0];

  constructor(model: LanguageModelV3, options: PackageModelOptions) {
    const { id, clock, watchdogs } = options;
    const [provider = model.provider] = model.provider.split(".");
    this.id = id ?? `${provider}/${model.modelId}`;
    this.#model = model;
    this.#provider = provider;
    this.#dialect = dialectOf(provider);
    this.#writer = new PromptWriter(this.#dialect, {
      id: this.id,
      name: model.modelId,
      takesImage: takesImage(this.id, options.facts),
    });
    this.#clock = clock ?? systemClock;
    this.#watchdogs = { headersMs: 300_000, stallMs: 90_000, ...watchdogs };
    this.#options = options;
    this.#account = {
      label: provider,
      keyName: "the provider's key",
      baseUrl: "its address",
      secrets: new Secrets([]),
      ...options.account,
    };
    const { withoutSummaries = new Set() } = options;
    this.#summaries = { withoutSummaries, account: this.#account };
  }

  stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const asked = { dialect: this.#dialect, account: this.#account };
    const attempt = () => withoutEmptyReply(() => this.#attempt(request), asked);
    return withoutRefusedSummary(attempt, this.#summaries);
  }

  async *#attempt(request: ModelRequest): AsyncGenerator<ModelPart> {
    const { signal } = request;
    const reply = new ReplyReader(this.#dialect);
    const watch = new StreamWatch(signal, this.#clock);
    let error: unknown;
    try {
      yield* this.#relay(request, { reply, watch });
    } catch (thrown) {
      error = thrown;
    } finally {
      watch.close();
    }
    const isComplete = reply.isFinished && this.#dialect.isComplete({ ...reply.ending, ...noWire });
    const usage = reply.usage && { usage: reply.usage };
    if (signal.aborted) yield { type: "error", failure: aborted, ...usage };
    else if (isComplete && error === undefined && reply.flaw) {
      yield { type: "error", failure: broken(reply.flaw, this.#account), ...usage };
    } else if (isComplete && error === undefined) yield reply.finish();
    else {
      const { withSimilarModels } = await import("./resolve-model.ts");
      const failure = await withSimilarModels(this.id, this.#diagnose(error, watch));
      yield { type: "error", failure, ...usage };
    }
  }

  async *#relay(
    request: ModelRequest,
    { reply, watch }: { reply: ReplyReader; watch: StreamWatch },
  ): AsyncGenerator<ModelPart> {
    const { headersMs, stallMs } = this.#watchdogs;
    const prompt = this.#prompt(request);
    const thinking = thinkingFor(request, prompt, this.#options.thinking);
    const asked = getsNoSummary(this.#summaries)
      ? summaryLeftOut(thinking?.options)
      : thinking?.options;
    const providerOptions = mergedOptions(this.#options.requestOptions, asked);
    const { stream } = await watch.within(headersMs, "no-headers", () =>
      this.#model.doStream({
        prompt,
        tools: this.#writer.tools(request.tools),
        maxOutputTokens: request.maxOutputTokens - (thinking?.addedTokens ?? 0),
        abortSignal: watch.signal,
        ...(providerOptions && { providerOptions }),
      }),
    );
    const reader = stream.getReader();
    try {
      while (!reply.isFinished) {
        const { done, value } = await watch.within(stallMs, "stalled", () => reader.read());
        if (done) return;
        if (value.type === "error") throw value.error;
        // The provider's own events are unknown; the SDK reports the usage at the end.
        if (value.type === "finish") reply.take({ type: "raw", rawValue: value.usage });
        const shown = reply.take(wrapped(value, this.#provider));
        if (reply.blockCount > maxBlocks) {
          watch.fail({ type: "oversized", limit: limits.blocks });
          return;
        }
        if (shown) yield shown;
      }
    } finally {
      // Whatever is left is of no use to anybody, nor is the reason why it cannot be read.
      reader.cancel().catch(() => undefined);
    }
  }

  #prompt(request: ModelRequest): LanguageModelV3Prompt {
    const prompt = unwrapped(this.#writer.prompt(request), this.#provider);
    return this.#model.specificationVersion === "v3" ? prompt : withFilesOfV4(prompt);
  }

  #diagnose(error: unknown, watch: StreamWatch): ModelFailure {
    const { data: call } = FailedCall.safeParse(error);
    const headers = new Map(Object.entries(call?.responseHeaders ?? eventStream));
    const status = call?.statusCode ?? (watch.hasAnswered ? 200 : undefined);
    return diagnose(error, {
      id: this.id,
      account: {
        ...this.#account,
        ...(call && !this.#options.account?.baseUrl && { baseUrl: call.url }),
      },
      watchdogs: this.#watchdogs,
      clock: this.#clock,
      wire: {
        failure: watch.failure ?? wireFailure(error, { isCall: call !== undefined, status }),
        response: status === undefined ? undefined : { status, headers },
      },
    });
  }
}

/** A login that fails on its way fails before the SDK makes its call. */
function wireFailure(
  error: unknown,
  { isCall, status }: { isCall: boolean; status: number | undefined },
): WireFailure | undefined {
  if (status !== undefined) return isNetworkError(error) ? { type: "cut" } : undefined;
  return isCall || isNetworkError(error) ? { type: "network", cause: error } : undefined;
}

/** The part of the SDK's `APICallError` that says what was answered; without a status, nothing. */
const FailedCall = z.object({
  url: z.string(),
  statusCode: z.number().optional(),
  responseHeaders: z.record(z.string(), z.string()).optional(),
});

const eventStream = { "content-type": "text/event-stream" };
const aborted: ModelFailure = { kind: "aborted", message: "The call was aborted" };

const count = z.int().nonnegative().optional();
const SdkUsage = z.object({
  inputTokens: z.object({ total: count, noCache: count, cacheRead: count, cacheWrite: count }),
  outputTokens: z.object({ total: count }),
  /** As the provider reports it. Only Anthropic tells what was written for an hour. */
  raw: z
    .object({ cache_creation: z.object({ ephemeral_1h_input_tokens: count }) })
    .optional()
    .catch(undefined),
});

/** Claude since 3.7. A model that has no cache refuses a request with a mark for it. */
function takesCachePoints(model: string): boolean {
  return isClaudeOnBedrock(model) && !/claude-(3-(?!7)|v\d|instant)/.test(model);
}

/** The bytes of the answer are not seen here. */
const noWire = { isDone: false, isCleanEnd: false };

function dialectOf(namespace: string): Dialect {
  return {
    namespace,
    marksForBedrock: takesCachePoints,
    showsImagesInResults: false,
    marksErrors: false,
    // Gemini on Vertex AI, where Claude has a name of its own.
    losesReplies: namespace === "google",
    callId: /^[\w-]+$/,
    takesThought: () => true,
    usageIn(event) {
      const { data } = SdkUsage.safeParse(event);
      if (!data) return undefined;
      const { total = 0, noCache, cacheRead = 0, cacheWrite = 0 } = data.inputTokens;
      const forAnHour = data.raw?.cache_creation.ephemeral_1h_input_tokens ?? 0;
      return {
        input_tokens: noCache ?? Math.max(0, total - cacheRead - cacheWrite),
        output_tokens: data.outputTokens.total ?? 0,
        cache_read_tokens: cacheRead,
        cache_write_tokens: cacheWrite,
        ...(forAnHour > 0 && forAnHour <= cacheWrite && { cache_write_1h_tokens: forAnHour }),
      };
    },
    ignores: () => false,
    // A stream that was cut ends with the reason `other`, without the provider's own word for it.
    isComplete: ({ rawStop }) => rawStop !== undefined,
  };
}

/** The word of some provider for each reason that all have: their own words are not known here. */
const rawStops: Readonly<Record<string, string>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
};

/**
 * The part as `ReplyReader` reads it. Provider packages keep their data under names of their own
 * choice: all of them are stored under the provider's, and go back as they came.
 */
function wrapped(part: LanguageModelV3StreamPart, provider: string): LanguageModelV3StreamPart {
  if (part.type === "finish") {
    const { unified, raw } = part.finishReason;
    return { ...part, finishReason: { unified, raw: rawStops[unified] ?? raw } };
  }
  if (!("providerMetadata" in part) || !part.providerMetadata) return part;
  return { ...part, providerMetadata: { [provider]: { metadata: part.providerMetadata } } };
}

const Wrapped = z.object({
  metadata: z.record(z.string(), z.record(z.string(), z.json())),
});

function unwrapped(prompt: LanguageModelV3Prompt, provider: string): LanguageModelV3Prompt {
  return prompt.map((message) => {
    if (message.role !== "assistant") return message;
    const content = message.content.map((part) => {
      const { data } = Wrapped.safeParse(part.providerOptions?.[provider]);
      return data ? { ...part, providerOptions: data.metadata } : part;
    });
    return { ...message, content };
  });
}

/** The form of files in the next specification, whose type is not installed here. */
function withFilesOfV4(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  return prompt.map((message) => {
    if (message.role !== "user") return message;
    const content = message.content.map((part) =>
      part.type === "file"
        ? Object.assign({ ...part }, { data: { type: "data", data: part.data } })
        : part,
    );
    return { ...message, content };
  });
}
