import { isDeepStrictEqual } from "node:util";
import type { EffortLevel, KnownModels, ModelFacts } from "../../src/model/model-facts.ts";
import type { ModelPrice } from "../../src/model/prices.ts";
import { addedModels, isLeftOut } from "./corrections.ts";
import type { SourceModel, SourceRates } from "./source.ts";

/** The table of a provider, in the order of its ids. */
export function makeTable(provider: string, models: readonly SourceModel[]): KnownModels {
  const taken = models.filter(({ id }) => !isLeftOut(provider, id)).map(factsOf);
  const all = new Map([...Object.entries(addedModels[provider] ?? {}), ...taken]);
  const rows = [...all].filter(([id, facts]) => {
    const undated = withoutDate(id);
    // The table is also asked for a snapshot's name without its date.
    return undated === id || !isDeepStrictEqual(all.get(undated), facts);
  });
  return Object.fromEntries(rows.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutDate(id: string): string {
  return id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
}

function factsOf(model: SourceModel): [string, ModelFacts] {
  const { id, reasoning, input, maxTokens: maxOutput } = model;
  const price = priceOf(model);
  const efforts = effortsOf(model);
  const facts = {
    contextWindow: windowOf(model),
    maxOutput,
    ...(price && { price }),
    images: input.includes("image"),
    reasoning,
    ...(efforts && { efforts }),
  };
  return [id, facts];
}

/**
 * The window of OpenAI's models includes the reply. Where replies are long, requests are limited to
 * the rest: of 400,000 tokens to 272,000. Some windows of the source are already that limit.
 */
function windowOf({ id, api, contextWindow, maxTokens }: SourceModel): number {
  const isOpenAi = api === "openai-responses" || id.startsWith("openai/");
  const isWhole = isOpenAi && maxTokens >= 128_000 && contextWindow > 272_000;
  return isWhole ? contextWindow - maxTokens : contextWindow;
}

function priceOf({ id, cost }: SourceModel): ModelPrice | undefined {
  const { tiers, ...rates } = cost;
  const isFree = id.endsWith(":free");
  const [tier, ...others] = tiers;
  // No price is better than a wrong one: 0 is "free" or "not known", and two tiers cannot be stated.
  if ((rates.input === 0 && !isFree) || others.length > 0) return undefined;
  if (!tier) return ratesOf(rates);
  const { inputTokensAbove: above, ...long } = tier;
  return { ...ratesOf(rates), long: { above, ...ratesOf(long) } };
}

/** Without the rates that are not known: such tokens count as ordinary input. */
function ratesOf({ input, output, cacheRead, cacheWrite }: SourceRates): Omit<ModelPrice, "long"> {
  return {
    input,
    output,
    ...(cacheRead > 0 && { cacheRead }),
    // What costs less than the text itself is only the storage, which comes on top.
    ...(cacheWrite >= input && cacheWrite > 0 && { cacheWrite }),
  };
}

/** The levels of a model whose effort can be set. */
function effortsOf({ id, reasoning, thinkingLevelMap }: SourceModel): EffortLevel[] | undefined {
  if (!reasoning || !thinkingLevelMap) return undefined;
  const isAnthropics = /(^|\.|\/)claude-/.test(id);
  const { off, ...levels } = thinkingLevelMap;
  const isTaken = (level: Exclude<EffortLevel, "none">) => {
    if (level === "xhigh" || level === "max") return typeof levels[level] === "string";
    // Anthropic has no such level; the source maps it to another one.
    return levels[level] !== null && !(isAnthropics && level === "minimal");
  };
  const taken = (["minimal", "low", "medium", "high", "xhigh", "max"] as const).filter(isTaken);
  return off === null ? taken : ["none", ...taken];
}
