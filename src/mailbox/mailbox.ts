import type { MemberName, MessageId } from "../protocol/ids.ts";
import type { MailPosition, Message, MessageDraft } from "../protocol/message.ts";

/**
 * One member's inbox. Any process may append to it and look at it; one reader takes mail out.
 *
 * Every backend promises, and src/testing/conformance/mailbox.ts checks, that:
 * - once `append` resolves, the message survives a crash of the process that sent it;
 * - appending the same id again changes nothing, so a sender may retry;
 * - `records` consumes nothing.
 */
export interface Mailbox extends AsyncDisposable {
  /** The member whose inbox it is. */
  readonly owner: MemberName;
  /** Stores a message, and resolves to it with its id and time. */
  append(draft: MessageDraft): Promise<Message>;
  /** Everything the mailbox still has, newest first. */
  records(): AsyncIterable<MailRecord>;
  /** There is one reader at a time; another can be opened when it is disposed of. */
  openReader(options: MailboxReaderOptions): Promise<MailboxReader>;
}

/**
 * The one reader of a mailbox. Mail is acknowledged after it is in the member's transcript, and
 * mail that is already in the transcript is not delivered again. So every message is seen exactly
 * once, even if the reader dies at any point.
 *
 * Every backend promises that:
 * - `unread` is in order of arrival, has no side effect, and is not empty while mail is unread;
 * - a message stays unread until it is acknowledged, given back or withdrawn, over restarts too;
 * - a listener of `onWake` is called after mail has arrived, at least once for the last of it.
 */
export interface MailboxReader extends AsyncDisposable {
  /** The oldest unread mail: all of it, or as much as should be held in memory at once. */
  unread(): Promise<readonly MailDelivery[]>;
  /**
   * Settles everything `unread` returned, up to and including this message. The mail is in the
   * transcript, which keeps it from being delivered again even if the cursor cannot be written.
   */
  acknowledge(upTo: MessageId): Promise<void>;
  /**
   * Settles it as `undelivered`: its member has ended and nobody will see it. Inform the sender
   * before, because afterwards it is not returned again.
   */
  giveBack(upTo: MessageId): Promise<void>;
  /**
   * Settles one unread message as `withdrawn`: its sender has taken it back, and nobody will see it.
   * Resolves to false, and changes nothing, where it is not among the unread.
   */
  withdraw(id: MessageId): Promise<boolean>;
  /** Calls `listener` when mail has arrived. Returns how to stop it. */
  onWake(listener: () => void): () => void;
}

/** What a reader has to know of the mail that was delivered before. */
export interface MailboxReaderOptions {
  /** The mail that is in the member's transcript, as far back as its newest compaction. */
  delivered: DeliveredMail;
  /** Called once with each line that cannot be delivered to a model, for the person to see. */
  onSetAside(line: SetAsideLine): void;
}

/** How much of a mailbox is in a transcript: the newest position of each generation, and the ids. */
export interface DeliveredMail {
  /** The newest position in each generation of the mailbox's log. */
  positions: readonly MailPosition[];
  /** The ids of the messages, as far back as the transcript's newest compaction. */
  ids: ReadonlySet<MessageId>;
  /**
   * The ids of all mail that the transcript ever had, for a log of which it is unknown how much was
   * read.
   */
  earlier?: () => Promise<ReadonlySet<MessageId>>;
  /** Where the transcript has lost entries: the mail that may have been in them. */
  lost?: LostMail | undefined;
}

/** Mail that was acknowledged, but whose delivery may be missing from the transcript. */
export interface LostMail {
  /** The position after which it begins; undefined if it may be anywhere. */
  after: MailPosition | undefined;
  /**
   * Whether a message of that part is to be delivered again, if the transcript does not have it.
   */
  isWanted(message: Message): boolean;
}

/** A message as its reader gets it. `position` goes into the transcript beside it. */
export interface MailDelivery {
  /** The message as its sender wrote it. */
  message: Message;
  /** Its place in the mailbox. */
  position: MailPosition;
}

/** A line that is not a message, or claims to be one that only troupe may write. */
export interface SetAsideLine {
  /** `hand-<generation>-<byte offset>` of the line. */
  id: MessageId;
  /** Why it is not delivered. */
  reason: string;
  /** The beginning of the line. */
  text: string;
  /** Its place in the mailbox. */
  position: MailPosition;
}

/**
 * What has become of a message: its member has seen it (`delivered`), or never will, because the member
 * ended (`undelivered`) or the sender took it back (`withdrawn`).
 */
export type MailState = "queued" | "delivered" | "undelivered" | "withdrawn";

/** A message of a mailbox with what has become of it, or a line that is none. */
export type MailRecord =
  | ({ state: MailState } & MailDelivery)
  | ({ state: "set aside" } & SetAsideLine);

/** The newest message that is still queued, if the newest message is. */
export async function newestQueued(mailbox: Mailbox): Promise<MessageId | undefined> {
  for await (const record of mailbox.records()) {
    if (record.state === "set aside") continue;
    return record.state === "queued" ? record.message.id : undefined;
  }
  return undefined;
}

export function secondReader(owner: MemberName): Error {
  return new Error(`The mailbox of '${owner}' has a reader already`);
}
