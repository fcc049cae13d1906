import type { MailboxReader } from "../../src/mailbox/mailbox.ts";
import { Inbox } from "../../src/team/members/inbox.ts";

/** The inbox of a member that nobody watches and nobody gives orders. */
export function openInbox(reader: MailboxReader): Inbox {
  const nothing = async () => undefined;
  return new Inbox(reader, { reportMail: nothing, carryOut: nothing, isLeaving: () => false });
}
