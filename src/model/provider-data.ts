import type { ReplyBlock } from "../protocol/transcript.ts";

/**
 * A block as any model could have written it. Without its provider's data, a thought is shown to
 * people but sent to no model.
 */
export function withoutProviderData({ provider: _, ...block }: ReplyBlock): ReplyBlock {
  return block;
}

/**
 * A block whose provider's data name calls by other ids: OpenRouter says by the id of a call which
 * one a thought of Gemini's belongs to.
 */
export function withCallIds(block: ReplyBlock, newIds: ReadonlyMap<string, string>): ReplyBlock {
  if (!block.provider) return block;
  const text = JSON.stringify(block.provider, (key, value: unknown) =>
    key === "id" && typeof value === "string" ? (newIds.get(value) ?? value) : value,
  );
  return { ...block, provider: JSON.parse(text) };
}
