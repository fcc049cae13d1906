import { randomUUID } from "node:crypto";
import type { Utterance } from "../model/model.ts";
import type { ModelFailure } from "../model/model-failure.ts";
import type { ReplyBlock, StopReason } from "../protocol/transcript.ts";
import type { Usage } from "../protocol/usage.ts";
import type { Agent, EventDraft } from "./agent.ts";

export type Reply =
  | {
      type: "reply";
      blocks: ReplyBlock[];
      stop: StopReason;
      rawStop: string | undefined;
      usage: Usage;
    }
  | { type: "failed"; failure: ModelFailure };

interface RequestOptions {
  conversation: readonly Utterance[];
  signal: AbortSignal;
}

/** Makes one model call: shows it as it comes, puts it on the bill, and returns the whole reply. */
export async function* requestReply(
  { options, conversation: known, toolSpecs }: Agent,
  { conversation, signal }: RequestOptions,
): AsyncGenerator<EventDraft, Reply> {
  const { model, system, limits, bill, secrets } = options;
  const text = secrets.stream();
  const thinking = secrets.stream();

  const request = {
    system,
    tools: toolSpecs,
    conversation,
    maxOutputTokens: limits.maxOutputTokens,
    signal,
  };
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
        if (part.usage) await bill.record(part.usage);
        yield { type: "reply-restart", reason: secrets.mask(part.failure.message) };
        break;
      case "finish": {
        yield* delta("thinking-delta", thinking.end());
        yield* delta("text-delta", text.end());
        const { stop, rawStop, usage } = part;
        await bill.record(usage);
        const blocks = withOwnIds(secrets.maskJson(part.blocks), (id) => known.hasCall(id));
        return { type: "reply", blocks, stop, rawStop, usage };
      }
      case "error":
        if (part.usage) await bill.record(part.usage);
        return { type: "failed", failure: secrets.maskJson(part.failure) };
    }
  }
  return { type: "failed", failure: { kind: "cut", message: `${model.id} ended without an end` } };
}

/** The words of a reply, without its thoughts and calls. */
export function replyText(blocks: readonly ReplyBlock[]): string {
  return blocks
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n\n")
    .trim();
}

function* delta(type: "text-delta" | "thinking-delta", text: string): Generator<EventDraft> {
  if (text !== "") yield { type, text };
}

/** What every provider accepts as the id of a call. */
const acceptableId = /^[a-zA-Z0-9_-]{1,64}$/;

/** Gives a call another id where its own is no id, or is another call's. */
function withOwnIds(blocks: readonly ReplyBlock[], isTaken: (id: string) => boolean): ReplyBlock[] {
  const seen = new Set<string>();
  return blocks.map((block) => {
    if (block.type !== "tool-call") return block;
    const { call_id: id } = block;
    const isOwn = acceptableId.test(id) && !seen.has(id) && !isTaken(id);
    const call_id = isOwn ? id : `call_${randomUUID()}`;
    seen.add(call_id);
    return { ...block, call_id };
  });
}
