import { randomBytes } from "node:crypto";
import type { Utterance } from "../model/model.ts";
import type { ModelFailure } from "../model/model-failure.ts";
import { withCallIds } from "../model/provider-data.ts";
import type { ReplyBlock, StopReason } from "../protocol/transcript.ts";
import type { TokenUsage } from "../protocol/usage.ts";
import type { Agent, EventDraft } from "./agent.ts";
import { maskReply } from "./mask-reply.ts";

export type Reply =
  | {
      type: "reply";
      /** The model that wrote it. */
      model: string;
      blocks: ReplyBlock[];
      stop: StopReason;
      rawStop: string | undefined;
      usage: TokenUsage;
    }
  | { type: "failed"; failure: ModelFailure }
  /** A budget is used up: in the middle of attempts, or before the first. */
  | { type: "exhausted"; reason: string };

/** The outcome of a request without a reply. */
export type Setback = Exclude<Reply, { type: "reply" }>;

interface RequestOptions {
  conversation: readonly Utterance[];
  signal: AbortSignal;
  /** Of the reply (default: the usual limit of the member). */
  maxOutputTokens?: number;
}

/** Makes one model call: shows it as it comes, puts it on the bill, and returns the whole reply. */
export async function* requestReply(
  agent: Agent,
  { conversation, signal, maxOutputTokens = agent.options.limits.maxOutputTokens }: RequestOptions,
): AsyncGenerator<EventDraft, Reply> {
  const { options, toolSpecs } = agent;
  const { model, system, bill, secrets, expectsPauses = false } = options;
  const text = secrets.stream();
  const thinking = secrets.stream();
  if (bill.exhausted) return { type: "exhausted", reason: bill.exhausted };

  const request = {
    system,
    tools: toolSpecs,
    conversation,
    maxOutputTokens,
    expectsPauses,
    ...(options.thinking && { thinking: options.thinking }),
    signal,
  };
  yield* imageNotice(agent);
  const calls = new Calls(agent);
  for await (const part of model.stream(request)) {
    switch (part.type) {
      case "text-delta":
        yield* delta("text-delta", text.push(part.text));
        break;
      case "thinking-delta":
        yield* delta("thinking-delta", thinking.push(part.text));
        break;
      case "waiting":
        yield { type: "model-wait", reason: secrets.mask(part.reason), delay_ms: part.delayMs };
        break;
      case "restart":
        text.end();
        thinking.end();
        yield await calls.end(part, part.failure);
        if (bill.exhausted) return { type: "exhausted", reason: bill.exhausted };
        yield { type: "reply-restart", reason: secrets.mask(part.failure.message) };
        break;
      case "model-change": {
        const { from, to } = part;
        const notices = await agent.changeModel(to);
        yield { type: "model-change", from, to, reason: secrets.mask(part.reason) };
        for (const message of notices) yield { type: "warning", message };
        yield* imageNotice(agent);
        break;
      }
      case "finish": {
        yield* delta("thinking-delta", thinking.end());
        yield* delta("text-delta", text.end());
        const { stop, rawStop, usage, usageWarning } = part;
        yield await calls.end(part);
        if (usageWarning) yield { type: "warning", message: secrets.mask(usageWarning) };
        const blocks = withOwnIds(maskReply(part.blocks, secrets));
        return { type: "reply", model: part.model ?? model.id, blocks, stop, rawStop, usage };
      }
      case "error":
        yield await calls.end(part, part.failure);
        return { type: "failed", failure: secrets.maskJson(part.failure) };
    }
  }
  return { type: "failed", failure: { kind: "cut", message: `${model.id} ended without an end` } };
}

/** The calls of one request: one, and another for each time that the model is asked again. */
class Calls {
  readonly #agent: Agent;
  #beganAt: number;

  constructor(agent: Agent) {
    this.#agent = agent;
    this.#beganAt = agent.options.clock.monotonicMs();
  }

  /** Puts a call on the bill that has ended just now. What comes after it is another call. */
  async end(
    { usage, model = this.#agent.options.model.id }: { usage?: TokenUsage; model?: string },
    failure?: ModelFailure,
  ): Promise<EventDraft> {
    const { bill, clock } = this.#agent.options;
    const now = clock.monotonicMs();
    const duration_ms = Math.round(now - this.#beganAt);
    this.#beganAt = now;
    const billed = usage && (await bill.record(usage, model));
    return {
      ...{ type: "model-call", model, duration_ms },
      ...(billed && { usage: billed }),
      ...(failure && { failure: failure.kind }),
    };
  }
}

function* imageNotice(agent: Agent): Generator<EventDraft> {
  const message = agent.noticeOfImages();
  if (message) yield { type: "warning", message };
}

function* delta(type: "text-delta" | "thinking-delta", text: string): Generator<EventDraft> {
  if (text !== "") yield { type, text };
}

/**
 * Gives calls ids of our own. Some servers count from 1 in every reply or leave it empty, and an
 * id must name one call forever: its approval and its result are found by it.
 */
function withOwnIds(blocks: readonly ReplyBlock[]): ReplyBlock[] {
  const newIds = new Map<string, string>();
  const renamed = blocks.map((block) => {
    if (block.type !== "tool-call") return block;
    const call_id = `call_${randomBytes(12).toString("hex")}`;
    if (block.call_id !== "") newIds.set(block.call_id, newIds.get(block.call_id) ?? call_id);
    return { ...block, call_id };
  });
  return renamed.map((block) => withCallIds(block, newIds));
}
