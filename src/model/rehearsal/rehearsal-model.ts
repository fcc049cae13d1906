import { createHash } from "node:crypto";
import type { ReplyBlock } from "../../protocol/transcript.ts";
import type { Usage } from "../../protocol/usage.ts";
import type { Model, ModelPart, ModelRequest } from "../model.ts";
import { leadPart } from "./lead-part.ts";
import { type Move, nextMove, Stage } from "./play.ts";
import { read } from "./reading.ts";
import { writeSummary } from "./summary.ts";
import { teammatePart } from "./teammate-part.ts";

/** What a person names it by. */
export const rehearsalId = "rehearsal";

/**
 * A small player of the tutorial's prompts, for trying things out without a key or a network. It is
 * no language model, and says so. What it answers follows from the request alone: the same request
 * has the same answer, in any process.
 */
export class RehearsalModel implements Model {
  readonly id = rehearsalId;

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    if (request.signal.aborted) {
      yield aborted;
      return;
    }
    const blocks = blocksOf(decide(request), request);
    for (const text of blocks.flatMap(deltasOf)) {
      yield { type: "text-delta", text };
      if (request.signal.aborted) {
        yield aborted;
        return;
      }
    }
    const stop = blocks.some(({ type }) => type === "tool-call") ? "tool-calls" : "end";
    yield { type: "finish", blocks, stop, usage: usageOf(request, blocks) };
  }
}

const aborted: ModelPart = {
  type: "error",
  failure: { kind: "aborted", message: "The call was aborted" },
};

function decide(request: ModelRequest): Move {
  const reading = read(request);
  if (reading.wantsSummary) return { type: "answer", text: writeSummary(reading) };
  const part = reading.self.type === "lead" ? leadPart : teammatePart;
  return nextMove(reading.scene, (inputs) => part(new Stage(reading, inputs)));
}

function blocksOf(move: Move, { system, conversation }: ModelRequest): ReplyBlock[] {
  if (move.type === "answer") return [{ type: "text", text: move.text }];
  // No two requests of a member are alike, so neither are the ids.
  const digest = createHash("sha256")
    .update(JSON.stringify([system, conversation]))
    .digest("hex");
  return move.calls.map(({ name, input }, index) => {
    return { type: "tool-call", call_id: `rehearsal_${digest.slice(0, 16)}_${index}`, name, input };
  });
}

function deltasOf(block: ReplyBlock): string[] {
  return block.type === "text" ? (block.text.match(/\s*\S+\s*/g) ?? []) : [];
}

/** About as many as a language model would count. */
const charactersPerToken = 4;

function usageOf({ system, conversation }: ModelRequest, blocks: readonly ReplyBlock[]): Usage {
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / charactersPerToken);
  return {
    input_tokens: tokens([system, conversation]),
    output_tokens: tokens(blocks),
    cache_read_tokens: 0,
    cache_write_tokens: 0,
  };
}
