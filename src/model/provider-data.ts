import type { ReplyBlock } from "../protocol/transcript.ts";

/**
 * A block as any model could have written it. Without its provider's data, a thought is shown to
 * people but sent to no model.
 */
export function withoutProviderData({ provider: _, ...block }: ReplyBlock): ReplyBlock {
  return block;
}
