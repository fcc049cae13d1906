import { z } from "zod";
import type { RequestBody } from "../provider-server/provider-api.ts";
import { CacheEntries, type InputUsage, type PromptCache, prefixesOf } from "./prompt-cache.ts";

const leastTokens = 1024;
const lifeMs = 30 * 60_000;
/** How many places of a request are compared with what was written before. */
const maxPlaces = 80;

/**
 * OpenAI from GPT-5.6 on: a request is written up to its newest message of the user or a tool, and up to
 * blocks with a mark. It is found only where one was written before, by requests with the same key.
 */
export class OpenAiCache implements PromptCache {
  readonly #entries = new CacheEntries();

  take(body: RequestBody, nowMs: number): InputUsage {
    const { model, tools, input, prompt_cache_key = "" } = Body.parse(body);
    const pieces = [{ text: JSON.stringify(tools), isPlace: false, isMarked: false }];
    for (const item of input) pieces.push(...piecesOf(item));
    const prefixes = prefixesOf(pieces, `${model} ${prompt_cache_key}`);
    const places = pieces.flatMap(({ isPlace }, index) => (isPlace ? index : []));
    const newest = places.at(-1) ?? -1;
    const hashAt = (index: number) => prefixes[index]?.hash ?? "";
    const tokensAt = (index: number) => prefixes[index]?.tokens ?? 0;
    const hit = places
      .slice(-maxPlaces)
      .findLast((index) => this.#entries.isAlive(hashAt(index), nowMs));
    const read = hit === undefined ? 0 : tokensAt(hit);
    const written = [...pieces.keys()].filter((index) => pieces[index]?.isMarked).slice(-3);
    let end = read;
    for (const index of [...written, newest, hit ?? -1]) {
      if (tokensAt(index) < leastTokens) continue;
      this.#entries.use(hashAt(index), nowMs, lifeMs);
      end = Math.max(end, tokensAt(index));
    }
    return {
      input_tokens: (prefixes.at(-1)?.tokens ?? 0) - end,
      cache_read_tokens: read,
      cache_write_tokens: end - read,
      cache_write_1h_tokens: 0,
    };
  }
}

const Item = z.looseObject({
  type: z.string().optional(),
  role: z.string().optional(),
  content: z.union([z.string(), z.array(z.looseObject({}))]).optional(),
});
const Body = z.object({
  model: z.string(),
  tools: z.array(z.unknown()).default([]),
  input: z.array(Item),
  prompt_cache_key: z.string().optional(),
});

interface Piece {
  readonly text: string;
  /** Whether a prefix that ends here may have been written. */
  readonly isPlace: boolean;
  readonly isMarked: boolean;
}

/** The end of a message is a piece of its own: a message that grows is another one. */
function piecesOf(item: z.infer<typeof Item>): Piece[] {
  const { content, ...rest } = item;
  const parts = Array.isArray(content) ? content : [{ text: content }];
  const pieces = parts.map(({ prompt_cache_breakpoint: mark, ...part }) => ({
    text: JSON.stringify([rest, part]),
    isPlace: mark !== undefined,
    isMarked: mark !== undefined,
  }));
  const isInput = item.role === "user" || item.type === "function_call_output";
  return [...pieces, { text: "/", isPlace: isInput, isMarked: false }];
}
