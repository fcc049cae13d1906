import type { Delivered } from "../mailbox/mailbox.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { Entry, ReceivedMail } from "../protocol/transcript.ts";
import { deliveredPositions, type TranscriptReader } from "../transcript/transcript.ts";

/** What of its mail a member has seen, by its transcript from the newest compaction on. */
export async function deliveredIn(
  transcript: TranscriptReader,
  owner: MemberName,
): Promise<Delivered> {
  const entries = await transcript.tail();
  const mail = entries.flatMap(mailOf);
  // In somebody else's transcript, put in the place of this one, positions mean another mailbox.
  const isOwn = mail.every(({ message }) => message.to === owner);
  return {
    positions: isOwn ? deliveredPositions(entries) : [],
    ids: new Set(mail.map(({ message }) => message.id)),
    earlier: () => idsIn(transcript),
  };
}

async function idsIn(transcript: TranscriptReader): Promise<Set<MessageId>> {
  const ids = new Set<MessageId>();
  for await (const entry of transcript.entries()) {
    for (const { message } of mailOf(entry)) ids.add(message.id);
  }
  return ids;
}

function mailOf(entry: Entry): readonly ReceivedMail[] {
  if (entry.type === "delivery") return [entry];
  return entry.type === "tool-result" ? (entry.mail ?? []) : [];
}
