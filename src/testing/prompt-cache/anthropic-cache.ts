import { z } from "zod";
import type { RequestBody } from "../provider-server/provider-api.ts";
import {
  CacheEntries,
  digest,
  type InputUsage,
  type PromptCache,
  type PromptPrefix,
  prefixesOf,
} from "./prompt-cache.ts";

type Life = "5m" | "1h";
const lifeMs: Readonly<Record<Life, number>> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };

/** A mark looks for an entry at its own block and at the 19 before it. */
const lookBack = 20;
const maxMarks = 4;

/** The shortest prefixes that are cached, by the beginnings of models' names (default: 1024). */
const minimums: readonly (readonly [string, number])[] = [
  ["claude-opus-5", 512],
  ["claude-fable-5", 512],
  ["claude-mythos-5", 512],
  ["claude-opus-4-7", 2048],
  ["claude-opus-4-6", 4096],
  ["claude-opus-4-5", 4096],
  ["claude-haiku-4-5", 4096],
];

interface MarkedBlock {
  readonly text: string;
  readonly mark: Life | undefined;
}

/**
 * Anthropic: exact prefixes over tools, system and messages, up to blocks with a mark. Settings of
 * thinking and of the choice of tools are part of what comes before the messages.
 */
export class AnthropicCache implements PromptCache {
  readonly #entries = new CacheEntries();

  take(body: RequestBody, nowMs: number): InputUsage {
    const blocks = blocksOf(body);
    const prefixes = prefixesOf(blocks, body.model);
    const marks = blocks.flatMap(({ mark }, index) => (mark ? [{ mark, index }] : []));
    if (marks.length > maxMarks) throw new Error(`${marks.length} blocks are marked`);
    const least = minimumOf(body.model);
    const lookedAt = marks.flatMap(({ index }) =>
      Array.from({ length: lookBack }, (_, back) => index - back),
    );
    const hit = Math.max(-1, ...lookedAt.filter((index) => this.#isAlive(prefixes[index], nowMs)));
    const read = prefixes[hit]?.tokens ?? 0;
    let end = read;
    let forAnHour = 0;
    for (const { mark, index } of marks) {
      const prefix = prefixes[index];
      if (!prefix || prefix.tokens < least) continue;
      this.#entries.use(prefix.hash, nowMs, lifeMs[mark]);
      if (mark === "1h") forAnHour += Math.max(0, prefix.tokens - end);
      end = Math.max(end, prefix.tokens);
    }
    const found = prefixes[hit];
    if (found) this.#entries.use(found.hash, nowMs, lifeMs["5m"]);
    return {
      input_tokens: (prefixes.at(-1)?.tokens ?? 0) - end,
      cache_read_tokens: read,
      cache_write_tokens: end - read,
      cache_write_1h_tokens: forAnHour,
    };
  }

  #isAlive(prefix: PromptPrefix | undefined, nowMs: number): boolean {
    return prefix !== undefined && this.#entries.isAlive(prefix.hash, nowMs);
  }
}

function minimumOf(model: string): number {
  return minimums.find(([beginning]) => model.startsWith(beginning))?.[1] ?? 1024;
}

const Marked = z.looseObject({
  cache_control: z.object({ ttl: z.enum(["5m", "1h"]).optional() }).optional(),
});
const Content = z.preprocess(
  (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content),
  z.array(Marked),
);
const Body = z.object({
  tools: z.array(Marked).default([]),
  system: Content.default([]),
  messages: z.array(z.object({ role: z.string(), content: Content })),
  thinking: z.unknown().optional(),
  tool_choice: z.unknown().optional(),
  output_config: z.unknown().optional(),
});

function blocksOf(body: RequestBody): MarkedBlock[] {
  const { tools, system, messages, thinking, tool_choice, output_config } = Body.parse(body);
  const settings = digest(JSON.stringify([thinking, tool_choice, output_config])).slice(0, 8);
  const contents = messages.flatMap(({ role, content }) =>
    content.map((block) => blockOf(block, `${settings} ${role} `)),
  );
  return [...tools, ...system].map((block) => blockOf(block)).concat(contents);
}

function blockOf({ cache_control, ...block }: z.infer<typeof Marked>, before = ""): MarkedBlock {
  return {
    text: before + JSON.stringify(block),
    mark: cache_control && (cache_control.ttl ?? "5m"),
  };
}
