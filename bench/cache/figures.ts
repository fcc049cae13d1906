import { modelFacts } from "../../src/model/model-facts.ts";
import { costOf, type ModelPrice } from "../../src/model/prices.ts";
import { AnthropicCache } from "../../src/testing/prompt-cache/anthropic-cache.ts";
import type { InputUsage, PromptCache } from "../../src/testing/prompt-cache/prompt-cache.ts";
import { RequestBody } from "../../src/testing/provider-server/provider-api.ts";
import type { PlayedRequest } from "./play.ts";

/** Requests of each member from its third on: the first two cannot find anything. */
export function afterSecondTurn(played: readonly PlayedRequest[]): PlayedRequest[] {
  const counts = new Map<string, number>();
  return played.filter(({ member }) => {
    const count = (counts.get(member) ?? 0) + 1;
    counts.set(member, count);
    return count > 2;
  });
}

/** The share of the input that is read from the cache. */
export function shareRead(played: readonly PlayedRequest[]): number {
  const sum = (count: (usage: InputUsage) => number) =>
    played.reduce((all, { usage }) => all + count(usage), 0);
  return sum((usage) => usage.cache_read_tokens) / sum(inputOf);
}

/** The same requests with another cache; all in one moment if nothing is to be forgotten. */
export function withCache(
  played: readonly PlayedRequest[],
  cache: PromptCache,
  { forgets }: { forgets: boolean },
): PlayedRequest[] {
  return played.map((each) => ({ ...each, usage: cache.take(each.body, forgets ? each.atMs : 0) }));
}

/** What the input costs, compared with the same input without a cache. */
export function relativeCost(usages: readonly InputUsage[], price: ModelPrice): number {
  const cost = (usage: InputUsage) => costOf({ ...usage, output_tokens: 0 }, price);
  const uncached = (usage: InputUsage) =>
    cost({
      input_tokens: inputOf(usage),
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      cache_write_1h_tokens: 0,
    });
  const sum = (each: (usage: InputUsage) => number) =>
    usages.reduce((all, usage) => all + each(usage), 0);
  return sum(cost) / sum(uncached);
}

function inputOf({ input_tokens, cache_read_tokens, cache_write_tokens }: InputUsage): number {
  return input_tokens + cache_read_tokens + cache_write_tokens;
}

export async function priceOf(model: string): Promise<ModelPrice> {
  const { price } = await modelFacts(model);
  if (!price) throw new Error(`${model} has no known price`);
  return price;
}

/** For how long Anthropic would keep what members have said. */
export type Lifetimes = "five minutes" | "as it is" | "an hour";

/** The same requests, with other lifetimes of what is cached, and without the pauses if asked. */
export function withLifetimes(
  played: readonly PlayedRequest[],
  lifetimes: Lifetimes,
  { pauses }: { pauses: boolean },
): InputUsage[] {
  const cache = new AnthropicCache();
  return played.map(({ body, atMs }, index) =>
    cache.take(changed(body, lifetimes), pauses ? atMs : index * 2_000),
  );
}

function changed(body: RequestBody, lifetimes: Lifetimes): RequestBody {
  if (lifetimes === "as it is") return body;
  const mark = { type: "ephemeral", ttl: lifetimes === "an hour" ? "1h" : "5m" };
  const text = JSON.stringify(body, (key, value: unknown) =>
    key === "cache_control" ? mark : value,
  );
  return RequestBody.parse(JSON.parse(text));
}
