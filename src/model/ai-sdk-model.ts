import type { LanguageModelV3 } from "@ai-sdk/provider";
import type { Clock } from "../lib/clock.ts";
import type { TokenUsage } from "../protocol/usage.ts";
import { limits, maxBlocks } from "./ai-sdk/body-limits.ts";
import type { Dialect } from "./ai-sdk/dialect.ts";
import { withoutEmptyReply } from "./ai-sdk/empty-reply.ts";
import { type Account, broken, diagnose } from "./ai-sdk/failure.ts";
import type { HttpFetch } from "./ai-sdk/http.ts";
import { PromptWriter } from "./ai-sdk/prompt-writer.ts";
import { getsNoSummary, withoutRefusedSummary } from "./ai-sdk/refused-summary.ts";
import { ReplyReader } from "./ai-sdk/reply-reader.ts";
import { mergedOptions, summaryLeftOut, thinkingFor } from "./ai-sdk/request-options.ts";
import type { ModelThinking } from "./ai-sdk/thinking.ts";
import { type Watchdogs, WatchedRequest } from "./ai-sdk/watched-request.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import type { TakesImage } from "./image-support.ts";
import type { FinishPart, Model, ModelPart, ModelRequest } from "./model.ts";
import type { ModelFailure } from "./model-failure.ts";

export interface AiSdkModelOptions {
  /** The id that a person uses: `anthropic/claude-…`. */
  readonly id: string;
  readonly dialect: Dialect;
  readonly thinking?: ModelThinking | undefined;
  readonly takesImage: TakesImage;
  readonly account: Account;
  readonly clock: Clock;
  readonly watchdogs: Watchdogs;
  /** How to give the model a longer context, if its server may cut requests off silently. */
  readonly contextHint?: string;
  /**
   * The accounts that get no summaries of thoughts, as OpenAI gives none to unverified organizations.
   * Shared by the models of a team, so that only one request finds out.
   */
  readonly withoutSummaries: Set<string>;
  /** How requests are sent. */
  readonly fetch: HttpFetch;
  /** The SDK's model, all of whose requests go through `fetch`. */
  connect(through: typeof fetch): LanguageModelV3;
}

/** Any model that the AI SDK has a provider for. */
export class AiSdkModel implements Model {
  readonly id: string;
  readonly #options: AiSdkModelOptions;
  readonly #writer: PromptWriter;
  #hasWarned = false;
  #hasWarnedOfCut = false;

  constructor(options: AiSdkModelOptions) {
    this.id = options.id;
    this.#options = options;
    const { id, dialect, takesImage } = options;
    const name = id.slice(id.indexOf("/") + 1);
    this.#writer = new PromptWriter(dialect, { id, name, takesImage });
  }

  stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const attempt = () => withoutEmptyReply(() => this.#attempt(request), this.#options);
    return withoutRefusedSummary(attempt, this.#options);
  }

  async *#attempt(request: ModelRequest): AsyncGenerator<ModelPart> {
    const { clock, watchdogs, dialect, fetch } = this.#options;
    const { signal } = request;
    const wire = new WatchedRequest({ fetch, clock, watchdogs, signal });
    const reply = new ReplyReader(dialect);
    let error: unknown;
    let isComplete = false;
    try {
      yield* this.#relay(request, wire, reply);
      isComplete = reply.isFinished && dialect.isComplete({ ...reply.ending, ...wire.ending });
    } catch (thrown) {
      error = thrown;
    } finally {
      wire.close({ isComplete });
    }
    // The SDK may end an aborted stream as if it were complete.
    if (signal.aborted) yield failed(aborted, reply);
    else if (isComplete && reply.flaw)
      yield failed(broken(reply.flaw, this.#options.account), reply);
    else if (isComplete) yield this.#finish(request, reply);
    else {
      const { withSimilarModels } = await import("./resolve-model.ts");
      const failure = diagnose(error, { ...this.#options, wire });
      yield failed(await withSimilarModels(this.id, failure), reply);
    }
  }

  /** The end of a reply. Impossible counts are estimated: zero would hide the cost. */
  #finish(request: ModelRequest, reply: ReplyReader): FinishPart {
    const { system, tools, conversation } = request;
    const part = reply.finish();
    const { doubtfulCounts } = reply;
    if (doubtfulCounts.length === 0) return this.#noteCut(request, part);
    const usage = { ...part.usage };
    for (const key of doubtfulCounts) {
      if (key === "input_tokens") usage[key] = estimateTokens([system, tools, conversation]);
      if (key === "output_tokens") usage[key] = estimateTokens(part.blocks);
    }
    const hasWarned = this.#hasWarned;
    this.#hasWarned = true;
    return { ...part, usage, ...(!hasWarned && { usageWarning: doubt(this.id, doubtfulCounts) }) };
  }

  /** Warns once if the server has read far less than it was sent. */
  #noteCut({ system, tools, conversation }: ModelRequest, part: FinishPart): FinishPart {
    const { contextHint, account } = this.#options;
    if (contextHint === undefined || this.#hasWarnedOfCut) return part;
    const read = promptTokens(part.usage);
    // Without a count, nothing is known.
    if (read === 0) return part;
    const sent = estimateTokens([system, tools, conversation]);
    if (sent < smallestCut || read > sent / 2) return part;
    this.#hasWarnedOfCut = true;
    const usageWarning = `${account.label} read only ${read} tokens of a request of about ${sent}, so the rest was probably cut off. ${contextHint}`;
    return { ...part, usageWarning };
  }

  /** Yields the parts as they arrive. Throws the error of the provider or the SDK. */
  async *#relay(
    request: ModelRequest,
    wire: WatchedRequest,
    reply: ReplyReader,
  ): AsyncGenerator<ModelPart> {
    // A new one for each request: the SDK has no other way to assign bytes to a request.
    const model = this.#options.connect(wire.fetch);
    const prompt = this.#writer.prompt(request);
    const { dialect } = this.#options;
    const thinking = thinkingFor(request, prompt, this.#options.thinking);
    const asked = getsNoSummary(this.#options)
      ? summaryLeftOut(thinking?.options)
      : thinking?.options;
    const providerOptions = mergedOptions(dialect.options?.(request), asked);
    const { stream } = await model.doStream({
      prompt,
      tools: this.#writer.tools(request.tools),
      maxOutputTokens: request.maxOutputTokens - (thinking?.addedTokens ?? 0),
      includeRawChunks: true,
      ...(providerOptions && { providerOptions }),
    });
    for await (const part of stream) {
      if (part.type === "error") {
        if (dialect.ignores(reply.ending.lastEvent)) continue;
        throw part.error;
      }
      const shown = reply.take(part);
      if (reply.blockCount > maxBlocks) {
        wire.fail({ type: "oversized", limit: limits.blocks });
        return;
      }
      if (shown) yield shown;
      if (reply.isFinished) return;
    }
  }
}

/** No server has a shorter context by default. */
const smallestCut = 2_048;

function promptTokens({ input_tokens, cache_read_tokens, cache_write_tokens }: TokenUsage): number {
  return input_tokens + cache_read_tokens + cache_write_tokens;
}

const aborted: ModelFailure = { kind: "aborted", message: "The call was aborted" };

function doubt(id: string, counts: readonly string[]): string {
  return `${id} reports a usage that cannot be true (${counts.join(", ")}). What it cost is estimated from the texts`;
}

function failed(failure: ModelFailure, { usage }: ReplyReader): ModelPart {
  return { type: "error", failure, ...(usage && { usage }) };
}
