import type { Model, ModelPart, ModelRequest } from "../model/model.ts";
import type { ModelFailure } from "../model/model-failure.ts";
import type { ReplyBlock, StopReason } from "../protocol/transcript.ts";
import type { TokenUsage } from "../protocol/usage.ts";

/** One reply of a model, written in a test for a `ScriptedModel` or a `ProviderServer`. */
export interface ScriptedReply {
  readonly type: "reply";
  readonly blocks: readonly ReplyBlock[];
  readonly stop: StopReason;
  /** The provider's own word for the stop reason, if it is not the usual one. */
  readonly rawStop?: string;
  readonly usage: TokenUsage;
}

/** The exact parts of one stream. The last one is a `finish` or an `error`. */
export interface ScriptedParts {
  readonly type: "parts";
  readonly parts: readonly ModelPart[];
}

/**
 * The result of one call of a scripted model. A single block stands for a reply with only that
 * block.
 */
export type ScriptStep =
  | ReplyBlock
  | ScriptedReply
  | ScriptedParts
  | ((request: ModelRequest) => ScriptStep | Promise<ScriptStep>);

/** A model that plays the given steps in order and records its requests. */
export class ScriptedModel implements Model {
  readonly id: string;
  readonly requests: ModelRequest[] = [];
  readonly #steps: readonly ScriptStep[];

  constructor(steps: readonly ScriptStep[], { id = "scripted" }: { id?: string } = {}) {
    this.id = id;
    this.#steps = steps;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    if (request.signal.aborted) {
      yield* aborted.parts;
      return;
    }
    const step = this.#steps[this.requests.length];
    // A copy: the caller may change its array afterwards.
    this.requests.push({ ...request, conversation: [...request.conversation] });
    if (step === undefined) {
      yield* fails({ kind: "bad-request", message: this.#surplus(this.requests.length) }).parts;
      return;
    }
    const parts = await unlessAborted(partsOf(step, request), request.signal);
    for (const part of parts) {
      if (request.signal.aborted) {
        yield* aborted.parts;
        return;
      }
      yield part;
    }
  }

  /** Throws when there were more calls than steps, or fewer. */
  assertDone(): void {
    const { length } = this.requests;
    if (length > this.#steps.length) throw new Error(this.#surplus(length));
    if (length < this.#steps.length) {
      throw new Error(
        `${this.id} was called ${length} times; its script has ${this.#steps.length} steps`,
      );
    }
  }

  #surplus(call: number): string {
    return `Unexpected call ${call} of ${this.id}: its script has only ${this.#steps.length} steps`;
  }
}

export function says(text: string): ReplyBlock {
  return { type: "text", text };
}

/** The id is new each time, because no provider takes one twice in a conversation. */
export function calls(
  name: string,
  input: unknown,
  id = `call_${crypto.randomUUID()}`,
): ReplyBlock {
  return { type: "tool-call", call_id: id, name, input };
}

export function thinks(text: string, signature = `signature of ${text}`): ReplyBlock {
  return { type: "thinking", text, provider: { anthropic: { signature } } };
}

/** Redacted thinking, which only the provider can read. */
export function thinksInSecret(data: string): ReplyBlock {
  return { type: "thinking", text: "", provider: { anthropic: { redactedData: data } } };
}

/** Several blocks in one reply, or one that ends in an unusual way. */
export function reply(
  blocks: readonly ReplyBlock[],
  options: { stop?: StopReason; rawStop?: string; usage?: Partial<TokenUsage> } = {},
): ScriptedReply {
  const hasCalls = blocks.some(({ type }) => type === "tool-call");
  const { stop = hasCalls ? "tool-calls" : "end", rawStop, usage } = options;
  return {
    type: "reply",
    blocks,
    stop,
    ...(rawStop !== undefined && { rawStop }),
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      ...usage,
    },
  };
}

/** A call that fails, after the deltas of `partial` if there are any. */
export function fails(failure: ModelFailure, partial: readonly ReplyBlock[] = []): ScriptedParts {
  return { type: "parts", parts: [...partial.flatMap(deltasOf), { type: "error", failure }] };
}

/** A stream given part by part, such as one with `waiting` and `restart` in it. */
export function streams(...parts: readonly ModelPart[]): ScriptedParts {
  return { type: "parts", parts };
}

/** A call that does not end until it is aborted. */
export function hangs(): ScriptStep {
  return () => new Promise<ScriptStep>(() => undefined);
}

async function partsOf(step: ScriptStep, request: ModelRequest): Promise<readonly ModelPart[]> {
  if (typeof step === "function") return partsOf(await step(request), request);
  switch (step.type) {
    case "parts":
      return step.parts;
    case "reply": {
      const { type: _, blocks, ...ending } = step;
      const kept = blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
      return [...blocks.flatMap(deltasOf), { type: "finish", blocks: kept, ...ending }];
    }
    case "text":
    case "thinking":
    case "tool-call":
      return partsOf(reply([step]), request);
  }
}

function deltasOf(block: ReplyBlock): ModelPart[] {
  switch (block.type) {
    case "text":
      return [{ type: "text-delta", text: block.text }];
    case "thinking":
      return block.text === "" ? [] : [{ type: "thinking-delta", text: block.text }];
    case "tool-call":
      return [];
  }
}

const aborted = fails({ kind: "aborted", message: "The call was aborted" });

async function unlessAborted(
  parts: Promise<readonly ModelPart[]>,
  signal: AbortSignal,
): Promise<readonly ModelPart[]> {
  // A step that is a function may have aborted its own request.
  if (signal.aborted) return aborted.parts;
  const leave = new AbortController();
  const abort = new Promise<readonly ModelPart[]>((resolve) => {
    const options = { once: true, signal: leave.signal };
    signal.addEventListener("abort", () => resolve(aborted.parts), options);
  });
  try {
    return await Promise.race([parts, abort]);
  } finally {
    leave.abort();
  }
}
