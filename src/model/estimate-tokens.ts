import { ModelImage } from "../protocol/transcript.ts";

/** Low enough that estimates are too high rather than too low. */
export const charactersPerToken = 3.5;
export const charactersPerImage = 1_600 * charactersPerToken;

/** About how many tokens a model counts for a value written as JSON. */
export function estimateTokens(value: unknown): number {
  let images = 0;
  const text = JSON.stringify(value, (_key, item: unknown) => {
    if (!ModelImage.safeParse(item).success) return item;
    images++;
    return undefined;
  });
  return Math.ceil((text.length + images * charactersPerImage) / charactersPerToken);
}
