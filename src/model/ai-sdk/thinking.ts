import type { SharedV3ProviderOptions } from "@ai-sdk/provider";
import { Effort } from "../../protocol/effort.ts";
import type { ThinkingRequest } from "../model.ts";
import type { EffortLevel, ModelFacts } from "../model-facts.ts";

/** How one model is told to think. */
export interface ModelThinking {
  /** What it can be asked for. All of them for a model that nobody here knows: it decides itself. */
  readonly efforts: readonly Effort[];
  /** True if it takes a number of tokens. */
  readonly takesBudget: boolean;
  /** A reply of no more tokens than these has no room for thoughts: nothing is asked for. */
  readonly leastTokens?: number;
  /** The SDK's options; undefined if nothing has to be said. */
  settings(asked: ThinkingAsked): ThinkingSettings | undefined;
}

interface ThinkingAsked extends ThinkingRequest {
  /** The longest reply, with its thoughts. */
  readonly maxOutputTokens: number;
  /** Whether the turn that the request continues began with a thought; undefined for a new turn. */
  readonly turnBeganWithThought: boolean | undefined;
}

export interface ThinkingSettings {
  readonly options: SharedV3ProviderOptions;
  /** Tokens that the SDK adds to the longest reply. */
  readonly addedTokens?: number;
}

/** A model that does not think, and has no setting for it. */
const thoughtless: ModelThinking = {
  efforts: ["none"],
  takesBudget: false,
  settings: () => undefined,
};

/** The efforts of a model that takes these levels. */
export function effortsOf(levels: readonly EffortLevel[] | undefined): readonly Effort[] {
  if (!levels) return Effort.options;
  const hasMost = levels.some((level) => level !== "none");
  return Effort.options.filter((effort) => (effort === "max" ? hasMost : levels.includes(effort)));
}

/** The level for an effort: `max` is the highest. */
export function levelFor(
  effort: Effort,
  levels: readonly EffortLevel[] | undefined,
  usualMost: EffortLevel,
): EffortLevel {
  return effort === "max" ? (levels?.at(-1) ?? usualMost) : effort;
}

/** How much of a reply may be thoughts: the rest is for the answer. */
const shareOfReply = { low: 1 / 16, medium: 1 / 4, high: 1 / 2, max: 3 / 4 };

/** The tokens for thoughts where they are a number. At least a quarter of the reply is left. */
export function budgetOf({ effort, budgetTokens, maxOutputTokens }: BudgetAsked): number {
  const most = Math.floor(maxOutputTokens * shareOfReply.max);
  if (budgetTokens !== undefined) return Math.min(budgetTokens, most);
  if (effort === undefined || effort === "none") return 0;
  return Math.floor(maxOutputTokens * shareOfReply[effort]);
}

type BudgetAsked = Pick<ThinkingAsked, "effort" | "budgetTokens" | "maxOutputTokens">;

/** Claude. Until 4.5 it thinks only if it is given a number of tokens; since then it adapts itself. */
export function anthropicThinking(_: string, facts: ModelFacts): ModelThinking {
  const { reasoning, efforts: levels } = facts;
  if (reasoning === false) return thoughtless;
  if (reasoning && !levels) return budgetedClaude;
  const takesBudget = !levels;
  return {
    efforts: effortsOf(levels),
    takesBudget,
    ...(takesBudget && { leastTokens: leastClaudeReply }),
    settings(asked) {
      const { effort, budgetTokens, maxOutputTokens } = asked;
      if (effort === "none") return { options: { anthropic: { thinking: { type: "disabled" } } } };
      if (takesBudget && maxOutputTokens <= leastClaudeReply) return undefined;
      if (takesBudget && budgetTokens !== undefined) return enabled(asked);
      if (effort === undefined) return undefined;
      // Some show nothing of their thoughts unless they are asked to.
      const thinking = { type: "adaptive", display: "summarized" };
      return { options: { anthropic: { thinking, effort: levelFor(effort, levels, "max") } } };
    },
  };
}

/** Anthropic takes no smaller budget, and no reply that is not longer. */
const leastClaudeBudget = 1_024;

/** Of a reply of no more tokens, the smallest budget would leave less than is for the answer. */
const leastClaudeReply = Math.floor(leastClaudeBudget / shareOfReply.max);

const budgetedClaude: ModelThinking = {
  efforts: Effort.options,
  takesBudget: true,
  leastTokens: leastClaudeReply,
  settings(asked) {
    // A turn continues as it began: the provider refuses a change before its end.
    if (asked.turnBeganWithThought === false) return undefined;
    const tokens = asked.effort === "none" ? 0 : budgetOf(asked);
    if (tokens === 0 && !asked.turnBeganWithThought) return undefined;
    return enabled({ ...asked, budgetTokens: tokens });
  },
};

function enabled(asked: BudgetAsked): ThinkingSettings | undefined {
  if (asked.maxOutputTokens <= leastClaudeReply) return undefined;
  const budgetTokens = Math.max(budgetOf(asked), leastClaudeBudget);
  const thinking = { type: "enabled", budgetTokens };
  return { options: { anthropic: { thinking } }, addedTokens: budgetTokens };
}

/** GPT and the o series, by the Responses API. */
export function openAiThinking(_: string, { reasoning, efforts }: ModelFacts): ModelThinking {
  if (reasoning === false) return thoughtless;
  return {
    efforts: effortsOf(efforts),
    takesBudget: false,
    settings({ effort }) {
      // The SDK guesses by its name whether a model thinks. Of others it neither sends the effort nor
      // asks for the encrypted thoughts.
      const thinks = { forceReasoning: true };
      if (effort === undefined) return reasoning ? { options: { openai: thinks } } : undefined;
      const openai = { reasoningEffort: levelFor(effort, efforts, "high"), ...thinks };
      if (effort === "none") return { options: { openai } };
      return { options: { openai: { ...openai, reasoningSummary: "auto" } } };
    },
  };
}

/** Gemini. Until 2.5 a number of tokens, since then a level. */
export function googleThinking(model: string, facts: ModelFacts): ModelThinking {
  const { reasoning, efforts: levels } = facts;
  if (reasoning === false) return thoughtless;
  if (reasoning && !levels) return budgetedGemini(model.includes("pro"));
  return {
    efforts: effortsOf(levels),
    takesBudget: false,
    settings({ effort }) {
      if (effort === undefined) return undefined;
      if (effort === "none") return googleSettings({ thinkingBudget: 0 });
      const thinkingLevel = levelFor(effort, levels, "high");
      return googleSettings({ thinkingLevel, includeThoughts: true });
    },
  };
}

/** The budgets of these models end at different numbers, and Pro always thinks. */
function budgetedGemini(isPro: boolean): ModelThinking {
  const most = isPro ? 32_768 : 24_576;
  return {
    efforts: isPro ? Effort.exclude(["none"]).options : Effort.options,
    takesBudget: true,
    settings(asked) {
      if (asked.effort === undefined && asked.budgetTokens === undefined) return undefined;
      if (asked.effort === "none") return googleSettings({ thinkingBudget: 0 });
      // The smallest budget that all of them take is 512.
      const thinkingBudget = Math.min(most, Math.max(512, budgetOf(asked)));
      return googleSettings({ thinkingBudget, includeThoughts: true });
    },
  };
}

function googleSettings(thinkingConfig: Record<string, string | number | boolean>) {
  return { options: { google: { thinkingConfig } } };
}

/** Servers that speak chat completions. */
export function compatibleThinking(_: string, { reasoning, efforts }: ModelFacts): ModelThinking {
  if (reasoning === false) return thoughtless;
  return {
    efforts: effortsOf(efforts),
    takesBudget: false,
    settings({ effort }) {
      if (effort === undefined) return undefined;
      const reasoningEffort = levelFor(effort, efforts, "high");
      return { options: { "openai-compatible": { reasoningEffort } } };
    },
  };
}

/** OpenRouter takes an effort or a number of tokens, and makes of it what the vendor's model takes. */
export function openRouterThinking(model: string, facts: ModelFacts): ModelThinking {
  const compatible = compatibleThinking(model, facts);
  if (facts.reasoning === false) return compatible;
  // What is asked of Claude there is at least the smallest budget, which a shorter reply has no room for.
  const leastTokens = model.startsWith("anthropic/") ? leastClaudeReply : 0;
  return {
    ...compatible,
    takesBudget: true,
    leastTokens,
    settings(asked) {
      const { effort, budgetTokens, maxOutputTokens } = asked;
      if (effort !== "none" && maxOutputTokens <= leastTokens) return undefined;
      if (budgetTokens === undefined || effort === "none") return compatible.settings(asked);
      return { options: { openrouter: { reasoning: { max_tokens: budgetOf(asked) } } } };
    },
  };
}
