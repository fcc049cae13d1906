import { charactersPerToken } from "../../model/estimate-tokens.ts";
import type { RequestBody } from "../provider-server/provider-api.ts";
import { CacheEntries, type InputUsage, type PromptCache, prefixesOf } from "./prompt-cache.ts";

export interface PrefixCacheOptions {
  /** The shortest prefix that is cached. */
  leastTokens: number;
  /** Longer ones are found in steps of this size. */
  stepTokens: number;
  /** How long one is kept after its last use. */
  lifeMs: number;
  /** The request as one text, in the order in which the provider reads it. */
  textOf(body: RequestBody): string;
}

/** A provider that finds any repeated beginning by itself, and takes nothing for writing. */
export class PrefixCache implements PromptCache {
  readonly #options: PrefixCacheOptions;
  readonly #entries = new CacheEntries();

  constructor(options: PrefixCacheOptions) {
    this.#options = options;
  }

  take(body: RequestBody, nowMs: number): InputUsage {
    const { leastTokens, stepTokens, lifeMs, textOf } = this.#options;
    const text = textOf(body);
    const tokens = Math.ceil(text.length / charactersPerToken);
    const prefixes = prefixesOf(stepsOf(text, stepTokens * charactersPerToken), body.model).filter(
      (prefix) => prefix.tokens >= leastTokens,
    );
    const read = prefixes.findLast(({ hash }) => this.#entries.isAlive(hash, nowMs))?.tokens ?? 0;
    for (const { hash } of prefixes) this.#entries.use(hash, nowMs, lifeMs);
    return {
      input_tokens: tokens - read,
      cache_read_tokens: read,
      cache_write_tokens: 0,
      cache_write_1h_tokens: 0,
    };
  }
}

/** The whole steps of a text; what is left at its end is not cached. */
function stepsOf(text: string, length: number): { text: string }[] {
  const count = Math.floor(text.length / length);
  return Array.from({ length: count }, (_, step) => {
    return { text: text.slice(step * length, (step + 1) * length) };
  });
}

const minuteMs = 60_000;

/**
 * Google's implicit cache. How long it keeps a prefix is not published, only that it is no longer than a
 * day, so five minutes are assumed.
 */
export function googleCache(): PrefixCache {
  return new PrefixCache({
    leastTokens: 4096,
    stepTokens: 64,
    lifeMs: 5 * minuteMs,
    textOf: ({ systemInstruction, tools, contents }) =>
      JSON.stringify([systemInstruction, tools, contents]),
  });
}

/**
 * OpenAI from GPT-5.1 to GPT-5.5, without `prompt_cache_retention`: kept for a day, but for an
 * organization with zero data retention only in memory, which is cleared after 5 to 10 minutes without
 * use.
 */
export function olderOpenAiCache({ retainsNothing = false } = {}): PrefixCache {
  return new PrefixCache({
    leastTokens: 1024,
    stepTokens: 128,
    lifeMs: retainsNothing ? 5 * minuteMs : 24 * 60 * minuteMs,
    textOf: ({ tools, input, prompt_cache_key }) =>
      JSON.stringify([prompt_cache_key, tools, input]),
  });
}
