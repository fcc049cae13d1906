import type { ToolResult } from "../protocol/transcript.ts";

/** What a call came to whose result is missing from the record. */
export const lostOutcome =
  "Outcome unknown: the record of this call was damaged, so nobody knows whether it ran or what it did. It was not run again. Look what it has done before you repeat it.";

/** What stands before a reply when nothing is left of what it replied to. */
export const lostBefore = "(What you were shown here is lost: the record of it was damaged.)";

/**
 * A result whose call is missing: as text, because no provider takes a result without its call. It
 * is wrapped so that what a tool has printed cannot pass for anybody's words.
 */
export function resultOfLostCall({ output, images = [] }: ToolResult): string {
  const text = output.replace(/<(\/?)(?=teammate-message|lost-call-result)/gi, "&lt;$1");
  const pictures = images.length > 0 ? ` (${images.length} images are not shown)` : "";
  return `<lost-call-result note="Your call was lost when your record was damaged. This is its result.${pictures}">${text}</lost-call-result>`;
}
