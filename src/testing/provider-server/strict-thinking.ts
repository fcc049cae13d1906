import { z } from "zod";
import type { RequestBody } from "./provider-api.ts";

const ThinkingFields = z.looseObject({
  max_tokens: z.number(),
  thinking: z
    .discriminatedUnion("type", [
      z.looseObject({ type: z.literal("adaptive") }),
      z.looseObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024) }),
      z.looseObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  output_config: z
    .looseObject({ effort: z.enum(["low", "medium", "high", "xhigh", "max"]).optional() })
    .optional(),
});

/** Claude that thinks only by a budget of tokens. */
const isBudgeted = /claude-(opus-4(-[015])?|sonnet-4(-[05])?|haiku-4-5)(-\d{8})?$/;
/** Claude that adapts its thinking, and takes no budget. */
const isAdaptive = /claude-((fable|mythos)|(opus-4-[78])|(opus|sonnet|haiku)-[5-9])/;
const isAlwaysThinking = /claude-((fable|mythos)-|(opus|sonnet)-5-5)/;

/** The messages of a request, as far as they decide about thinking. */
export interface ThinkingMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly { readonly type: string }[];
}

/** What is wrong with a request's settings for thinking, in the words of Anthropic's API. */
export function wrongThinking(
  body: RequestBody,
  messages: readonly ThinkingMessage[],
): string | undefined {
  const { data, error } = ThinkingFields.safeParse(body);
  if (error) return `thinking: ${error.issues[0]?.message}`;
  const { thinking, max_tokens, output_config } = data;
  const { model } = body;
  if (thinking?.type === "enabled" && thinking.budget_tokens >= max_tokens) {
    return "`max_tokens` must be greater than `thinking.budget_tokens`.";
  }
  if (thinking?.type === "enabled" && isAdaptive.test(model)) {
    return '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
  }
  if (thinking?.type === "disabled" && isAlwaysThinking.test(model)) {
    return '"thinking.type.disabled" is not supported for this model.';
  }
  if (!isBudgeted.test(model)) return undefined;
  if (thinking?.type === "adaptive") return "adaptive thinking is not supported on this model";
  if (output_config?.effort) return "This model does not support the effort parameter.";
  return wrongTurn(thinking?.type === "enabled", messages);
}

/** A turn that is under way must have begun as it goes on. */
function wrongTurn(isThinking: boolean, messages: readonly ThinkingMessage[]): string | undefined {
  const turn = openTurn(messages);
  const first = turn[0]?.content[0]?.type;
  if (isThinking && turn.length > 0 && !isThought(first)) {
    return `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`;
  }
  const hasThoughts = turn.some(({ content }) => content.some(({ type }) => isThought(type)));
  if (isThinking || !hasThoughts) return undefined;
  return "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request.";
}

/** The replies since the last message that is more than the results of calls. */
function openTurn(messages: readonly ThinkingMessage[]): ThinkingMessage[] {
  const begin = messages.findLastIndex(
    ({ role, content }) => role === "user" && content.every(({ type }) => type !== "tool_result"),
  );
  return messages.slice(begin + 1).filter(({ role }) => role === "assistant");
}

function isThought(type: string | undefined): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
