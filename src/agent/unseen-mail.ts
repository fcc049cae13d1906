import type { DeliveryEntry, TranscriptEntry } from "../protocol/transcript.ts";
import { mailOf } from "../transcript/transcript.ts";
import { Conversation } from "./conversation.ts";
import type { WholePath } from "./mail-text.ts";

/** The mail of a transcript's tail that no reply has followed, as a conversation of its own. */
export function unseenMail(
  entries: readonly TranscriptEntry[],
  wholePath: WholePath,
): Pick<Conversation, "unansweredInput" | "awaitsReply"> {
  const answered = entries.findLastIndex(({ type }) => type === "reply") + 1;
  return new Conversation(entries.slice(answered).flatMap(mailEntries), wholePath);
}

/** An entry as far as it is about mail: mail in the result of a call as if it had come by itself. */
function mailEntries(entry: TranscriptEntry): TranscriptEntry[] {
  if (entry.type === "compaction" || entry.type === "images-refused") return [entry];
  const { at } = entry;
  return mailOf(entry).map((mail): DeliveryEntry => ({ ...mail, type: "delivery", at }));
}
