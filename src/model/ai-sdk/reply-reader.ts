import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  SharedV3ProviderMetadata,
} from "@ai-sdk/provider";
import { firstCharacters } from "../../lib/cut-text.ts";
import { maxInputDepth, readJson, TooDeep } from "../../lib/read-json.ts";
import type {
  ReplyBlock,
  StopReason,
  TextBlock,
  ThinkingBlock,
} from "../../protocol/transcript.ts";
import { TokenUsage } from "../../protocol/usage.ts";
import type { FinishPart, ModelPart } from "../model.ts";
import type { Dialect, ReplyEnding, ThoughtCollector } from "./dialect.ts";

type Metadata = SharedV3ProviderMetadata | undefined;

/** Puts a reply together from the SDK's parts, and the bill from the provider's own events. */
export class ReplyReader {
  readonly #dialect: Dialect;
  readonly #blocks: ReplyBlock[] = [];
  /** Blocks that are still growing, by the SDK's id. An id is used again once its block is over. */
  readonly #open = new Map<string, TextBlock | ThinkingBlock>();
  #announcedCalls = 0;
  #usage: TokenUsage | undefined;
  /** The counts whose last reported value is impossible. */
  readonly #doubtful = new Set<keyof TokenUsage>();
  readonly #thoughts: ThoughtCollector | undefined;
  #lastEvent: unknown;
  #finish: LanguageModelV3FinishReason | undefined;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#thoughts = dialect.collectThoughts?.();
  }

  /** The usage reported so far, without impossible values. */
  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  /** The counts whose last reported value is impossible. */
  get doubtfulCounts(): readonly (keyof TokenUsage)[] {
    return [...this.#doubtful];
  }

  /** How many blocks there are. Some providers' calls are only announced until the reply ends. */
  get blockCount(): number {
    return Math.max(this.#blocks.length, this.#announcedCalls);
  }

  get ending(): ReplyEnding {
    return { lastEvent: this.#lastEvent, rawStop: this.#finish?.raw };
  }

  /** True once the end of the reply is reported, which the SDK also does for a cut one. */
  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** Takes the next part in, and returns what is shown of it at once. */
  take(part: LanguageModelV3StreamPart): ModelPart | undefined {
    switch (part.type) {
      case "text-start":
        this.#start(part.id, { type: "text", text: "" }, part.providerMetadata);
        return undefined;
      case "reasoning-start":
        this.#start(part.id, { type: "thinking", text: "" }, part.providerMetadata);
        return undefined;
      case "text-delta":
      case "reasoning-delta":
        return this.#grow(part.id, part.delta, part.providerMetadata);
      case "text-end":
      case "reasoning-end":
        return this.#grow(part.id, "", part.providerMetadata);
      case "tool-call":
        // What a gateway's own tools do is done there.
        if (part.providerExecuted) return undefined;
        this.#blocks.push(toolCall(part));
        return undefined;
      case "tool-input-start":
        this.#announcedCalls++;
        return undefined;
      case "raw":
        this.#observe(part.rawValue);
        return undefined;
      case "finish":
        this.#finish = part.finishReason;
        return undefined;
      default:
        // Other parts announce later ones, or belong to tools that the provider runs.
        return undefined;
    }
  }

  /** Why the reply is not to be used although it has ended; undefined if it is. */
  get flaw(): string | undefined {
    const { rawStop = "" } = this.ending;
    if (rawStop === "error") return "it ended with an error";
    if (this.#blocks.some(({ type }) => type === "tool-call")) return undefined;
    if (lostCall.has(rawStop)) return `its call could not be written (${rawStop})`;
    const announces = stopReasons.get(rawStop) === "tool-calls";
    return announces ? `it announces a call and has none (${rawStop})` : undefined;
  }

  finish(): FinishPart {
    // Providers refuse to read blank text back.
    const blocks = this.#withThoughts().filter(
      (block) => block.type !== "text" || block.text.trim() !== "",
    );
    const stop = stopReason(this.#finish, blocks);
    const { rawStop } = this.ending;
    const usage = this.#usage ?? nothingUsed;
    return { type: "finish", blocks, stop, ...(rawStop !== undefined && { rawStop }), usage };
  }

  /** The blocks with the collected thoughts, which may have no text and so no block. */
  #withThoughts(): readonly ReplyBlock[] {
    const data = this.#thoughts?.data;
    if (!data) return this.#blocks;
    const provider = { [this.#dialect.namespace]: data };
    const first = this.#blocks.find(({ type }) => type === "thinking");
    if (!first) return [{ type: "thinking", text: "", provider }, ...this.#blocks];
    return this.#blocks.map((block) => (block === first ? { ...block, provider } : block));
  }

  #observe(event: unknown): void {
    this.#lastEvent = event;
    this.#thoughts?.take(event);
    const raw = this.#dialect.stopIn?.(event);
    if (raw !== undefined) this.#finish = { unified: "other", raw };
    const usage = this.#dialect.usageIn(event);
    if (!usage) return;
    this.#usage = { ...nothingUsed, ...this.#usage };
    for (const key of countNames) this.#count(this.#usage, key, usage[key]);
  }

  #count(usage: TokenUsage, key: keyof TokenUsage, reported: number | null | undefined): void {
    if (reported === undefined) return;
    if (reported === null) {
      this.#doubtful.add(key);
      return;
    }
    usage[key] = reported;
    this.#doubtful.delete(key);
  }

  #start(id: string, block: TextBlock | ThinkingBlock, metadata: Metadata): void {
    // Even without data, a thought belongs to the provider that wrote it.
    if (block.type === "thinking") block.provider = { [this.#dialect.namespace]: {} };
    this.#open.set(id, block);
    this.#blocks.push(block);
    keep(block, metadata);
  }

  #grow(id: string, text: string, metadata: Metadata): ModelPart | undefined {
    const block = this.#open.get(id);
    if (!block) return undefined;
    block.text += text;
    keep(block, metadata);
    if (text === "") return undefined;
    return { type: block.type === "text" ? "text-delta" : "thinking-delta", text };
  }
}

const nothingUsed: TokenUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
};
const countNames = TokenUsage.keyof().options;

function keep(block: ReplyBlock, metadata: Metadata): void {
  if (metadata) block.provider = { ...block.provider, ...metadata };
}

function toolCall(part: LanguageModelV3ToolCall): ReplyBlock {
  const { toolCallId, toolName, providerMetadata } = part;
  const block: ReplyBlock = {
    type: "tool-call",
    call_id: toolCallId,
    name: toolName,
    ...readInput(part.input),
  };
  keep(block, providerMetadata);
  return block;
}

/** How much is kept of a refused input. */
const keptCharacters = 1_000;

/** Input that is not JSON stays a text: the tool's error corrects the model. */
function readInput(text: string): { input: unknown; input_error?: string } {
  if (text.trim() === "") return { input: {} };
  try {
    return { input: readJson(text, maxInputDepth) };
  } catch (error) {
    if (error instanceof TooDeep) {
      return { input: firstCharacters(text, keptCharacters), input_error: error.message };
    }
    if (error instanceof SyntaxError) return { input: text };
    throw error;
  }
}

const stopReasons = new Map<string | undefined, StopReason>([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["stop", "end"],
  ["STOP", "end"],
  ["tool_use", "tool-calls"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["max_tokens", "length"],
  ["max_output_tokens", "length"],
  ["length", "length"],
  ["MAX_TOKENS", "length"],
  ["refusal", "refusal"],
  ["content_filter", "refusal"],
  ["pause_turn", "pause"],
  ["model_context_window_exceeded", "overflow"],
]);

/** Gemini's words for a call that it began and could not write. Another attempt often can. */
const lostCall: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "MALFORMED_RESPONSE",
  "UNEXPECTED_TOOL_CALL",
]);

function stopReason(
  finish: LanguageModelV3FinishReason | undefined,
  blocks: readonly ReplyBlock[],
): StopReason {
  if (finish?.unified === "content-filter") return "refusal";
  const stop = stopReasons.get(finish?.raw) ?? "other";
  // Google and some compatible servers report "stop" whether or not they wait for results.
  const hasCalls = blocks.some(({ type }) => type === "tool-call");
  return stop === "end" && hasCalls ? "tool-calls" : stop;
}
