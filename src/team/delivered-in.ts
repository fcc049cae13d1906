import type { Delivered } from "../mailbox/mailbox.ts";
import type { Entry } from "../protocol/transcript.ts";
import { deliveredPositions } from "../transcript/transcript.ts";

/** What of its mail a member has seen, by its transcript from the newest compaction on. */
export function deliveredIn(entries: readonly Entry[]): Delivered {
  const ids = entries.flatMap((entry) => (entry.type === "delivery" ? [entry.message.id] : []));
  return { positions: deliveredPositions(entries), ids: new Set(ids) };
}
