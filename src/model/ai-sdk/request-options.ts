import type { LanguageModelV3Prompt, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { ModelRequest } from "../model.ts";
import type { ModelThinking, ThinkingSettings } from "./thinking.ts";

/** How a model is to think about a request: what is asked for, as far as the model takes it. */
export function thinkingFor(
  { thinking: { effort, budgetTokens } = {}, maxOutputTokens }: ModelRequest,
  prompt: LanguageModelV3Prompt,
  thinking: ModelThinking | undefined,
): ThinkingSettings | undefined {
  return thinking?.settings({
    effort: effort && thinking.efforts.includes(effort) ? effort : undefined,
    ...{ budgetTokens, maxOutputTokens, turnBeganWithThought: beganWithThought(prompt) },
  });
}

/** Two lots of options, each by the name of its provider. */
export function mergedOptions(
  options: SharedV3ProviderOptions | undefined,
  others: SharedV3ProviderOptions | undefined,
): SharedV3ProviderOptions | undefined {
  if (!options || !others) return options ?? others;
  const names = new Set([...Object.keys(options), ...Object.keys(others)]);
  return Object.fromEntries(
    [...names].map((name) => [name, { ...options[name], ...others[name] }]),
  );
}

/** Without the summary of thoughts of OpenAI's models. The encrypted thoughts are asked for as before. */
export function summaryLeftOut(
  options: SharedV3ProviderOptions | undefined,
): SharedV3ProviderOptions | undefined {
  if (!options) return options;
  return Object.fromEntries(
    Object.entries(options).map(([name, { reasoningSummary: _, ...rest }]) => [name, rest]),
  );
}

/**
 * Whether the turn that `prompt` continues, reply by reply with the results of its calls, began with
 * a thought; undefined if it begins a turn.
 */
function beganWithThought(prompt: LanguageModelV3Prompt): boolean | undefined {
  let began: boolean | undefined;
  let hasResults = false;
  for (const message of prompt.toReversed()) {
    if (message.role === "tool") hasResults = true;
    if (message.role !== "assistant") continue;
    if (!hasResults) return began;
    began = message.content[0]?.type === "reasoning";
    hasResults = false;
  }
  return began;
}
