import type { Effort } from "../protocol/effort.ts";
import type { ToolSpec } from "../protocol/tools.ts";
import type { InputImage, ReplyBlock, StopReason, ToolResult } from "../protocol/transcript.ts";
import type { TokenUsage } from "../protocol/usage.ts";
import type { ModelFailure } from "./model-failure.ts";

/** One language model behind one provider. The agent loop knows nothing else about providers. */
export interface Model {
  /** The id that a person uses: `anthropic/claude-…`. */
  readonly id: string;

  /**
   * Streams one reply. Nothing throws, an abort included: every stream ends with exactly one
   * `finish` or `error` part, and nothing follows it.
   *
   * Deltas are for observers. Only the blocks of `finish` were received whole: it comes
   * after the provider's own end marker, and never without it.
   */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/** All that a model is given for one reply. */
export interface ModelRequest {
  /** The system prompt. */
  readonly system: string;
  /** The tools that the model may call. */
  readonly tools: readonly ToolSpec[];
  /**
   * Begins with an `input` and never ends with a `reply`. An utterance is never changed: the next
   * request has the same object, so that an adapter may cache its result for it.
   */
  readonly conversation: readonly Utterance[];
  /** Of the whole reply, with its thoughts. */
  readonly maxOutputTokens: number;
  /**
   * True for a member that often waits for more than five minutes before its next request, as a lead
   * does for its team and the person: what a provider caches of the conversation should live longer.
   */
  readonly expectsPauses?: boolean;
  /** How much the model should think (default: as it does by itself). */
  readonly thinking?: ThinkingRequest | undefined;
  /** Aborted when the reply is no longer wanted. */
  readonly signal: AbortSignal;
}

/** How much a model should think before it answers. */
export interface ThinkingRequest {
  /** In words (default: as the model does by itself). */
  readonly effort?: Effort | undefined;
  /** For a model whose thoughts are limited by a number of tokens. */
  readonly budgetTokens?: number | undefined;
}

/** One contribution to the conversation between a member and its model. */
export type Utterance =
  /** Input of the member: mail, notes, instructions. At least one text, none of them empty. */
  | {
      readonly type: "input";
      readonly texts: readonly string[];
      /** In the order of their texts. */
      readonly images?: readonly InputImage[] | undefined;
    }
  /**
   * A reply, with the id of the model that wrote it, if that is known. What its provider added to the
   * blocks is for this model only: no other can read its thoughts.
   */
  | {
      readonly type: "reply";
      readonly model?: string | undefined;
      readonly blocks: readonly ReplyBlock[];
    }
  /** One result for each call of the reply before, in the order of the calls. */
  | { readonly type: "results"; readonly results: readonly ToolResult[] };

/** A part of a model's reply, as it is streamed. */
export type ModelPart =
  | { type: "text-delta"; text: string }
  | { type: "thinking-delta"; text: string }
  /** The request is held back: for a rate limit, for others in flight, or before another attempt. */
  | { type: "waiting"; reason: string; delayMs: number }
  /**
   * The attempt failed and is repeated: everything streamed so far is void. `model` is the one of a list
   * that failed.
   */
  | { type: "restart"; failure: ModelFailure; usage?: TokenUsage; model?: string }
  /** From here on another model of a list answers. */
  | { type: "model-change"; from: string; to: string; reason: string }
  | FinishPart
  /** `usage` is the usage that the provider reported before it failed: it is on the bill too. */
  | { type: "error"; failure: ModelFailure; usage?: TokenUsage; model?: string };

/** The end of a reply that was received whole. */
export interface FinishPart {
  type: "finish";
  /** What the model said, thought and called, in order. */
  blocks: ReplyBlock[];
  /** Why the model stopped, in the same words for all providers. */
  stop: StopReason;
  /** The provider's own word for that, where it sent one. */
  rawStop?: string;
  /** The tokens that the call used. */
  usage: TokenUsage;
  /** The one of a list that answered. */
  model?: string;
  /** A warning about the usage, shown once: the provider reported an impossible count. */
  usageWarning?: string;
}
