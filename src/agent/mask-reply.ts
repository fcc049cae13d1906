import type { Secrets } from "../lib/secrets.ts";
import { withoutProviderData } from "../model/provider-data.ts";
import type { ReplyBlock } from "../protocol/transcript.ts";

/**
 * A reply without secrets. A provider refuses its own thoughts if they are changed, so that those of
 * which a part had to be masked lose what makes them the provider's, and are not sent back to it.
 */
export function maskReply(blocks: readonly ReplyBlock[], secrets: Secrets): ReplyBlock[] {
  const masked = blocks.map((block) => secrets.maskJson(block));
  const isChanged = masked.map((block, index) => {
    return JSON.stringify(block) !== JSON.stringify(blocks[index]);
  });
  // Thoughts belong together: the provider may have signed several as one.
  const losesThoughts = masked.some((block, index) => isChanged[index] && isSignedThought(block));
  return masked.map((block, index) => {
    const isLost = block.type === "thinking" ? losesThoughts : isChanged[index];
    return isLost ? withoutProviderData(block) : block;
  });
}

function isSignedThought({ type, provider = {} }: ReplyBlock): boolean {
  return (
    type === "thinking" && Object.values(provider).some((data) => Object.keys(data).length > 0)
  );
}
