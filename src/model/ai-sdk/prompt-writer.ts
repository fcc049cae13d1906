import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultOutput,
  LanguageModelV3ToolResultPart,
} from "@ai-sdk/provider";
import { z } from "zod";
import type { ToolSpec } from "../../protocol/tools.ts";
import type { ModelImage, ReplyBlock, ToolResult } from "../../protocol/transcript.ts";
import type { TakesImage } from "../image-support.ts";
import type { ModelRequest, Utterance } from "../model.ts";
import { withoutProviderData } from "../provider-data.ts";
import type { Dialect } from "./dialect.ts";

type PromptMessage<Role extends LanguageModelV3Message["role"]> = LanguageModelV3Message & {
  role: Role;
};
type UserPart = PromptMessage<"user">["content"][number];
type ReplyPart = PromptMessage<"assistant">["content"][number];

/** Anthropic caches everything up to a block with such a mark. Other providers ignore it. */
const forMinutes = { type: "ephemeral" };
/** Costs more to write, and pays for what is read again after more than five minutes. */
const forAnHour = { type: "ephemeral", ttl: "1h" };
/** OpenAI caches up to the newest message by itself, and up to a block with this mark. */
const openAiMark = { promptCacheBreakpoint: { mode: "explicit" } };
/** Bedrock's own, which not all models there take. What it marks is kept for five minutes. */
const bedrockMark = { cachePoint: { type: "default" } };
/**
 * Otherwise a tool declares in every request that its input may be streamed unchecked. The option of
 * the whole request would do, too, but the SDK makes a large schema to check such options.
 */
const checkedInput = { eagerInputStreaming: false };

interface ModelName {
  /** The id that a person uses: `anthropic/claude-…`. */
  readonly id: string;
  /** The provider's own name of the model. */
  readonly name: string;
  /** An image that it does not take is replaced by a text. */
  readonly takesImage: TakesImage;
}

/**
 * Writes conversations in the SDK's format. The result for an utterance is kept as long as the
 * utterance itself, so that a turn costs only its new part, and history never changes on the wire.
 */
export class PromptWriter {
  readonly #dialect: Dialect;
  readonly #id: string;
  readonly #marksSystem: boolean;
  readonly #marksForBedrock: boolean;
  readonly #takesImage: TakesImage;
  readonly #written = new WeakMap<Utterance, readonly LanguageModelV3Message[]>();

  constructor(dialect: Dialect, { id, name, takesImage }: ModelName) {
    this.#dialect = dialect;
    this.#id = id;
    this.#takesImage = takesImage;
    this.#marksSystem = dialect.marksSystem?.(name) ?? false;
    this.#marksForBedrock = dialect.marksForBedrock?.(name) ?? false;
  }

  prompt({
    system,
    conversation,
    expectsPauses = false,
  }: Pick<ModelRequest, "system" | "conversation" | "expectsPauses">): LanguageModelV3Prompt {
    const prompt: LanguageModelV3Prompt = [];
    const cached = {
      anthropic: { cacheControl: expectsPauses ? forAnHour : forMinutes },
      ...(this.#marksForBedrock && { bedrock: bedrockMark }),
    };
    if (system !== "") {
      const providerOptions = { ...cached, ...(this.#marksSystem && { openai: openAiMark }) };
      prompt.push({ role: "system", content: wellFormed(system), providerOptions });
    }
    for (const [index, utterance] of conversation.entries()) {
      const messages = this.#messages(utterance, conversation[index - 1]);
      for (const message of messages) add(prompt, message);
    }
    // Anthropic looks for an earlier mark in the last 20 blocks only, and one turn may have more: so
    // the message that was the newest in the request before keeps its mark.
    const marked = [
      prompt.findLastIndex(({ role }) => role === "assistant") - 1,
      prompt.length - 1,
    ];
    for (const index of new Set(marked)) {
      const message = prompt[index];
      if (message) prompt[index] = { ...message, providerOptions: cached };
    }
    return prompt;
  }

  tools(specs: readonly ToolSpec[]): LanguageModelV3FunctionTool[] {
    return specs.map(({ name, description, input_schema }, index) => ({
      type: "function",
      name,
      description,
      inputSchema: input_schema,
      providerOptions: {
        // The tools are the same for all teammates, one of whom is likely to begin within the hour.
        anthropic: {
          ...checkedInput,
          ...(index === specs.length - 1 && { cacheControl: forAnHour }),
        },
      },
    }));
  }

  #messages(
    utterance: Utterance,
    before: Utterance | undefined,
  ): readonly LanguageModelV3Message[] {
    const known = this.#written.get(utterance);
    if (known) return known;
    const messages = this.#write(utterance, before);
    this.#written.set(utterance, messages);
    return messages;
  }

  #write(utterance: Utterance, before: Utterance | undefined): LanguageModelV3Message[] {
    switch (utterance.type) {
      case "input":
        return [{ role: "user", content: this.#inputParts(utterance) }];
      case "reply": {
        const { model = this.#id } = utterance;
        const blocks =
          model === this.#id ? utterance.blocks : utterance.blocks.map(withoutProviderData);
        const parts = blocks.flatMap((block) => this.#replyPart(block, blocks) ?? []);
        // Providers refuse a reply that ends in a thought, and one without content.
        const end = parts.findLastIndex(({ type }) => type !== "reasoning") + 1;
        if (end === 0) return [];
        const providerOptions = this.#dialect.replyOptions?.(this.#allOwn(blocks));
        const content = parts.slice(0, end);
        return [{ role: "assistant", content, ...(providerOptions && { providerOptions }) }];
      }
      case "results":
        return this.#resultMessages(utterance.results, before);
    }
  }

  #inputParts({ texts, images = [] }: Extract<Utterance, { type: "input" }>): UserPart[] {
    return texts.flatMap((text, index) => [
      ...images.filter(({ before }) => before === index).map((image) => this.#imagePart(image)),
      { type: "text", text: wellFormed(text) },
    ]);
  }

  #imagePart(image: ModelImage): UserPart {
    const { media_type: mediaType, data } = image;
    if (!this.#takesImage(mediaType)) return { type: "text", text: this.#leftOut(image) };
    return { type: "file", mediaType, data };
  }

  #leftOut({ media_type }: ModelImage): string {
    return `(An image is left out here: ${this.#id} does not take ${media_type}.)`;
  }

  #replyPart(block: ReplyBlock, all: readonly ReplyBlock[]): ReplyPart | undefined {
    const own = this.#own(block);
    const options = own && { providerOptions: { [this.#dialect.namespace]: own } };
    switch (block.type) {
      case "text":
        if (block.text.trim() === "") return undefined;
        return { type: "text", text: wellFormed(block.text), ...options };
      case "thinking":
        if (!own || !this.#dialect.takesThought(own, this.#allOwn(all))) return undefined;
        return { type: "reasoning", text: block.text, ...options };
      case "tool-call":
        return {
          type: "tool-call",
          toolCallId: this.#callId(block.call_id),
          toolName: toolName(block.name),
          input: plainInput(block.input),
          ...options,
        };
    }
  }

  /** The provider's own data of a block. A thought without them is not sent to it. */
  #own({ provider }: ReplyBlock): z.infer<typeof JsonObject> | undefined {
    return JsonObject.optional().parse(provider?.[this.#dialect.namespace]);
  }

  #allOwn(blocks: readonly ReplyBlock[]): z.infer<typeof JsonObject>[] {
    return blocks.map((block) => this.#own(block)).filter((own) => own !== undefined);
  }

  #resultMessages(
    results: readonly ToolResult[],
    before: Utterance | undefined,
  ): LanguageModelV3Message[] {
    const names = new Map(before?.type === "reply" ? before.blocks.flatMap(nameOfCall) : []);
    const content = results.map(
      (result): LanguageModelV3ToolResultPart => ({
        type: "tool-result",
        toolCallId: this.#callId(result.call_id),
        toolName: toolName(names.get(result.call_id) ?? ""),
        output: this.#output(result),
      }),
    );
    const images = results.flatMap((result) =>
      this.#holdsImages(result) ? [] : this.#imagesAfter(result),
    );
    const tool: LanguageModelV3Message = { role: "tool", content };
    return images.length > 0 ? [tool, { role: "user", content: images }] : [tool];
  }

  #imagesAfter({ call_id, images = [] }: ToolResult): UserPart[] {
    if (images.length === 0) return [];
    const parts = images.map((image) => this.#imagePart(image));
    return [{ type: "text", text: `Images of the result of ${call_id}:` }, ...parts];
  }

  /** The SDK has no result that is an error and has images. */
  #holdsImages({ is_error }: ToolResult): boolean {
    return this.#dialect.showsImagesInResults && !is_error;
  }

  #output(result: ToolResult): LanguageModelV3ToolResultOutput {
    const { is_error, images = [] } = result;
    const text = wellFormed(result.output.trim() && result.output) || placeholder(images);
    if (is_error && this.#dialect.marksErrors) return { type: "error-text", value: text };
    if (is_error) return { type: "text", value: /^error\b/i.test(text) ? text : `Error: ${text}` };
    if (images.length === 0 || !this.#holdsImages(result)) return { type: "text", value: text };
    const pictures = images.map((image) => {
      const { media_type: mediaType, data } = image;
      if (!this.#takesImage(mediaType))
        return { type: "text" as const, text: this.#leftOut(image) };
      return { type: "image-data" as const, mediaType, data };
    });
    return { type: "content", value: [{ type: "text", text }, ...pictures] };
  }

  #callId(id: string): string {
    return this.#dialect.callId.test(id) ? id : id.replaceAll(/[^\w-]/g, "_") || "_";
  }
}

/** Joins neighbours of one role, because some APIs require roles to alternate. */
function add(prompt: LanguageModelV3Prompt, message: LanguageModelV3Message): void {
  const last = prompt.at(-1);
  if (last?.role !== "user" || message.role !== "user") prompt.push(message);
  else prompt[prompt.length - 1] = { ...last, content: [...last.content, ...message.content] };
}

/** A replacement for blank text, which some providers refuse. */
function placeholder({ length }: readonly ModelImage[]): string {
  return length > 0 ? "(image)" : "(no output)";
}

const JsonObject = z.record(z.string(), z.json());

/** Models invent names that providers refuse to read back. */
function toolName(name: string): string {
  const safe = name.replaceAll(/[^\w-]/g, "_").slice(0, 64) || "_";
  // The SDK looks names up in a plain object, and loses a call of `constructor`.
  return safe in Object.prototype ? `_${safe}` : safe;
}

function nameOfCall(block: ReplyBlock): [string, string][] {
  return block.type === "tool-call" ? [[block.call_id, block.name]] : [];
}

/** The input as the model wrote it, except for what providers refuse to read back. */
function plainInput(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return {};
  const text = JSON.stringify(input, (_, value: unknown) =>
    typeof value === "string" ? wellFormed(value) : value,
  );
  return JSON.parse(text);
}

/** Half a character, as at the end of cut output, is not valid JSON for providers. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\uFFFD");
}
