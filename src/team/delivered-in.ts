import type { DeliveredMail, LostMail } from "../mailbox/mailbox.ts";
import type { MemberName, MessageId } from "../protocol/ids.ts";
import { isOrder, isShown } from "../protocol/message-types.ts";
import type { TranscriptEntry } from "../protocol/transcript.ts";
import { deliveredPositions, mailOf, type TranscriptReader } from "../transcript/transcript.ts";

export interface DeliveredOptions {
  owner: MemberName;
  /** When its member was spawned: what was sent before then is never given again. */
  since?: Date | undefined;
}

/** The mail that a member has seen, by its transcript from the newest compaction on. */
export async function deliveredIn(
  transcript: TranscriptReader,
  { owner, since }: DeliveredOptions,
): Promise<DeliveredMail> {
  const entries = await transcript.tail();
  const mail = entries.flatMap(mailOf);
  // In a transcript of another member, put in the place of this one, positions mean another mailbox.
  const isOwn = mail.every(({ message }) => message.to === owner);
  return {
    positions: isOwn ? deliveredPositions(entries) : [],
    ids: new Set(mail.map(({ message }) => message.id)),
    earlier: () => idsIn(transcript),
    lost: isOwn ? lostMail(entries, since) : undefined,
  };
}

/**
 * The mail that may have been in missing entries. This mail is given again, so that it is in the
 * conversation once. An order is not: it was carried out when it came, and must not be undone by
 * what came later being carried out before it.
 */
function lostMail(
  entries: readonly TranscriptEntry[],
  since: Date | undefined,
): LostMail | undefined {
  const gap = entries.findIndex(({ type }) => type === "gap");
  // A member without any transcript starts from the beginning, its mail included.
  if (gap === -1 || entries.every(({ type }) => type === "gap")) return undefined;
  return {
    after: deliveredPositions(entries.slice(0, gap)).at(-1),
    isWanted: (message) => {
      const isOld = since !== undefined && message.timestamp * 1000 < since.getTime();
      return !isOld && isShown(message) && !isOrder(message);
    },
  };
}

async function idsIn(transcript: TranscriptReader): Promise<Set<MessageId>> {
  const ids = new Set<MessageId>();
  for await (const entry of transcript.entries()) {
    for (const { message } of mailOf(entry)) ids.add(message.id);
  }
  return ids;
}
