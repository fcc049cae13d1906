import { z } from "zod";
import { reasonOf } from "../errors.ts";
import { describeIssue } from "../lib/json.ts";
import { parseValue } from "../lib/parse-value.ts";
import { ReplyBlock, StopReason } from "../protocol/transcript.ts";
import { TokenUsage } from "../protocol/usage.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";
import { FailureKind, type ModelFailure } from "./model-failure.ts";

const text = z.string();
const maybe = text.optional();
const failure = z.object({
  kind: FailureKind,
  message: text,
  hint: maybe,
  retryAfterMs: z.number().optional(),
});
const attempt = { failure, usage: TokenUsage.optional(), model: maybe };

/** The parts of a program's own model, which may be written in JavaScript. */
const Part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text-delta"), text }),
  z.object({ type: z.literal("thinking-delta"), text }),
  z.object({ type: z.literal("waiting"), reason: text, delayMs: z.number() }),
  z.object({ type: z.literal("restart"), ...attempt }),
  z.object({ type: z.literal("model-change"), from: text, to: text, reason: text }),
  z.object({
    type: z.literal("finish"),
    blocks: z.array(ReplyBlock),
    stop: StopReason,
    rawStop: maybe,
    usage: TokenUsage,
    model: maybe,
    usageWarning: maybe,
  }),
  z.object({ type: z.literal("error"), ...attempt }),
]);

/**
 * A model that a program has made. What it yields is checked before anything of it is stored: a wrong
 * count or block could not be read again, and the reply would be missing after a restart. What it throws
 * is a failed call.
 */
export function checkedModel(model: Model): Model {
  return { id: model.id, stream: (request) => checkedParts(model, request) };
}

async function* checkedParts(model: Model, request: ModelRequest): AsyncGenerator<ModelPart> {
  try {
    for await (const part of model.stream(request)) {
      const { data, error } = parseValue(Part, part);
      if (!data) {
        yield { type: "error", failure: wrongPart(model, part, describeIssue(error)) };
        return;
      }
      // The counts that were left out are 0.
      yield data.type === "finish" && part.type === "finish"
        ? { ...part, usage: data.usage }
        : part;
    }
  } catch (error) {
    yield { type: "error", failure: thrown(model, request, error) };
  }
}

function wrongPart({ id }: Model, part: unknown, issue: string): ModelFailure {
  const { data: type } = z.object({ type: text }).safeParse(part);
  return {
    kind: "bad-request",
    message: `${id} has given a wrong ${type ? `part '${type.type}'` : "part"}, ${issue}`,
    hint: "Correct the model that openModel returns: its parts are those of the type ModelPart.",
  };
}

function thrown({ id }: Model, { signal }: ModelRequest, error: unknown): ModelFailure {
  if (signal.aborted) return { kind: "aborted", message: "The call was aborted" };
  return {
    kind: "bad-request",
    message: `${id} has failed: ${reasonOf(error)}`,
    hint: "A model reports its failures as a part 'error', whose kind says whether to try again.",
  };
}
