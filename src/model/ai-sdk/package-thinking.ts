import type { JSONObject } from "@ai-sdk/provider";
import { Effort } from "../../protocol/effort.ts";
import type { ModelFacts } from "../model-facts.ts";
import {
  anthropicThinking,
  effortsOf,
  googleThinking,
  levelFor,
  type ModelThinking,
  openAiThinking,
  type ThinkingSettings,
} from "./thinking.ts";

type ThinkingOf = (model: string, facts: ModelFacts) => ModelThinking | undefined;

const thinkingByModule: ReadonlyMap<string, ThinkingOf> = new Map<string, ThinkingOf>([
  ["@ai-sdk/azure", azureThinking],
  ["@ai-sdk/amazon-bedrock", bedrockThinking],
  ["@ai-sdk/google-vertex", googleThinking],
  ["@ai-sdk/google-vertex/anthropic", anthropicThinking],
]);

/** How a model of a provider package is told to think; undefined if it cannot be told. */
export function packageThinking(
  module: string,
  model: string,
  facts: ModelFacts,
): ModelThinking | undefined {
  return thinkingByModule.get(module)?.(model, facts);
}

/** OpenAI's models, whose options have Azure's name. */
function azureThinking(model: string, facts: ModelFacts): ModelThinking {
  return translated(openAiThinking(model, facts), "openai", (azure) => ({ azure }));
}

/** Claude takes what it takes from Anthropic; OpenAI's models and Nova 2 take a level. */
function bedrockThinking(model: string, facts: ModelFacts): ModelThinking | undefined {
  if (isClaudeOnBedrock(model)) {
    return translated(anthropicThinking(model, facts), "anthropic", bedrockClaude);
  }
  if (/(^|\.)openai\./.test(model)) return levelled(facts, {});
  if (/(^|\.)amazon\.nova-2-/.test(model)) return levelled(novaFacts(facts), { type: "enabled" });
  return undefined;
}

/** The names of profiles begin with a region: `eu.anthropic.claude-…`. */
export function isClaudeOnBedrock(model: string): boolean {
  return /(^|[./])anthropic\.claude-/.test(model);
}

function bedrockClaude({ thinking, effort }: JSONObject): ThinkingSettings["options"] {
  const { type, ...rest } =
    typeof thinking === "object" && !Array.isArray(thinking) ? { ...thinking } : {};
  // The package has no word for it.
  if (type === "disabled")
    return { bedrock: { additionalModelRequestFields: { thinking: { type } } } };
  const level = effort === undefined ? {} : { maxReasoningEffort: effort };
  return {
    bedrock: { reasoningConfig: { ...(type !== undefined && { type }), ...rest, ...level } },
  };
}

function novaFacts(facts: ModelFacts): ModelFacts {
  return { ...facts, efforts: ["low", "medium", "high"] };
}

function levelled({ reasoning, efforts }: ModelFacts, always: JSONObject): ModelThinking {
  const takes = reasoning === false ? [] : effortsOf(efforts);
  return {
    // The package does not pass `none` on.
    efforts: Effort.exclude(["none"]).options.filter((effort) => takes.includes(effort)),
    takesBudget: false,
    settings({ effort }) {
      if (effort === undefined) return undefined;
      const maxReasoningEffort = levelFor(effort, efforts, "high");
      return { options: { bedrock: { reasoningConfig: { ...always, maxReasoningEffort } } } };
    },
  };
}

/** The same model behind a package that has other words for the options `name`. */
function translated(
  thinking: ModelThinking,
  name: string,
  translate: (options: JSONObject) => ThinkingSettings["options"],
): ModelThinking {
  return {
    ...thinking,
    settings(asked) {
      const settings = thinking.settings(asked);
      return settings && { ...settings, options: translate(settings.options[name] ?? {}) };
    },
  };
}
