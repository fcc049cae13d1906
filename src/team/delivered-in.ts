import type { Delivered } from "../mailbox/mailbox.ts";
import type { Entry, ReceivedMail } from "../protocol/transcript.ts";
import { deliveredPositions } from "../transcript/transcript.ts";

/** What of its mail a member has seen, by its transcript from the newest compaction on. */
export function deliveredIn(entries: readonly Entry[]): Delivered {
  const ids = entries.flatMap(mailOf).map(({ message }) => message.id);
  return { positions: deliveredPositions(entries), ids: new Set(ids) };
}

function mailOf(entry: Entry): readonly ReceivedMail[] {
  if (entry.type === "delivery") return [entry];
  return entry.type === "tool-result" ? (entry.mail ?? []) : [];
}
