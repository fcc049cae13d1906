import { createHash } from "node:crypto";
import type { ReplyBlock } from "../../protocol/transcript.ts";
import type { TokenUsage } from "../../protocol/usage.ts";
import type { Model, ModelPart, ModelRequest } from "../model.ts";
import { writeSummary } from "./conversation-item.ts";
import { playLead } from "./lead.ts";
import { readRequest } from "./read-request.ts";
import { nextReply, type ScriptedCall } from "./script.ts";
import { playTeammate } from "./teammate.ts";

/**
 * Plays the tutorial's prompts, for trying troupe without a key or a network. It is not a language
 * model, and says so. Its answer depends only on the request: the same request has the same answer
 * in any process.
 */
export class RehearsalModel implements Model {
  readonly id = "rehearsal";

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    if (request.signal.aborted) {
      yield aborted;
      return;
    }
    const block = blockOf(replyTo(request), request);
    for (const text of deltasOf(block)) {
      yield { type: "text-delta", text };
      if (request.signal.aborted) {
        yield aborted;
        return;
      }
    }
    const stop = block.type === "tool-call" ? "tool-calls" : "end";
    yield { type: "finish", blocks: [block], stop, usage: usageOf(request, block) };
  }
}

const aborted: ModelPart = {
  type: "error",
  failure: { kind: "aborted", message: "The call was aborted" },
};

/** The next tool call, or the text of an answer. */
function replyTo(request: ModelRequest): ScriptedCall | string {
  const reading = readRequest(request);
  const { past, current, self, wantsSummary } = reading;
  if (wantsSummary) return writeSummary([...past.slice(-keptItems), ...current]);
  return nextReply(reading, self.isLead ? playLead : playTeammate);
}

/** How many of the newest answered items a summary keeps. */
const keptItems = 30;

function blockOf(reply: ScriptedCall | string, { system, conversation }: ModelRequest): ReplyBlock {
  if (typeof reply === "string") return { type: "text", text: reply };
  // No two requests of a member are equal, so the ids differ too.
  const digest = createHash("sha256")
    .update(JSON.stringify([system, conversation]))
    .digest("hex");
  return { type: "tool-call", call_id: `rehearsal_${digest.slice(0, 16)}`, ...reply };
}

function deltasOf(block: ReplyBlock): string[] {
  return block.type === "text" ? (block.text.match(/\s*\S+\s*/g) ?? []) : [];
}

/** Roughly the token counts of a language model. */
const charactersPerToken = 4;

function usageOf({ system, conversation }: ModelRequest, block: ReplyBlock): TokenUsage {
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / charactersPerToken);
  return {
    input_tokens: tokens([system, conversation]),
    output_tokens: tokens(block),
    cache_read_tokens: 0,
    cache_write_tokens: 0,
  };
}
