import { createHash } from "node:crypto";
import { charactersPerToken } from "../../model/estimate-tokens.ts";
import type { TokenUsage } from "../../protocol/usage.ts";
import type { RequestBody } from "../provider-server/provider-api.ts";

/** A provider's prompt cache, by the rules that the provider has published. */
export interface PromptCache {
  /** What a request at `nowMs` reads from the cache and writes to it. */
  take(body: RequestBody, nowMs: number): InputUsage;
}

/** How the input of a request is billed. `cache_write_1h_tokens` is part of `cache_write_tokens`. */
export interface InputUsage
  extends Pick<TokenUsage, "input_tokens" | "cache_read_tokens" | "cache_write_tokens"> {
  readonly cache_write_1h_tokens: number;
}

/** One piece of a request, in the order in which the provider reads it. */
export interface PromptBlock {
  readonly text: string;
}

/** The beginning of a request up to and with a block: what identifies it, and its length. */
export interface PromptPrefix {
  readonly hash: string;
  readonly tokens: number;
}

/** The prefixes that end with each of `blocks`. */
export function prefixesOf(blocks: readonly PromptBlock[], root: string): PromptPrefix[] {
  let hash = digest(root);
  let characters = 0;
  return blocks.map(({ text }) => {
    hash = digest(`${hash}${text}`);
    characters += text.length;
    return { hash, tokens: Math.ceil(characters / charactersPerToken) };
  });
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}

/** Entries with a lifetime, which starts again with each use. */
export class CacheEntries {
  readonly #entries = new Map<string, { lifeMs: number; untilMs: number }>();

  isAlive(hash: string, nowMs: number): boolean {
    return nowMs < (this.#entries.get(hash)?.untilMs ?? 0);
  }

  /** Keeps an entry for its own lifetime from now on, or a new one for `lifeMs`. */
  use(hash: string, nowMs: number, lifeMs: number): void {
    const known = this.isAlive(hash, nowMs) ? this.#entries.get(hash) : undefined;
    const life = known?.lifeMs ?? lifeMs;
    this.#entries.set(hash, { lifeMs: life, untilMs: nowMs + life });
  }
}
