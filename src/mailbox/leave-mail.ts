import type { Signature } from "../keys/signature.ts";
import type { FilePath } from "../lib/file-path.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import type { LogHead } from "../lib/log-head.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import { completeDraft } from "./mail-draft.ts";
import { lookAtLive } from "./mail-history.ts";
import { mailLayout } from "./mail-layout.ts";
import { encodeLine } from "./mail-line.ts";
import { MailWriter } from "./mail-writer.ts";

interface LeaveOptions {
  inbox: FilePath;
  owner: MemberName;
  signature: Signature;
  now: Date;
  /** The record of the mailbox's end. */
  head: LogHead;
}

/** Appends one message to a mailbox that another process may be reading. */
export async function leaveMail(draft: MessageDraft, options: LeaveOptions): Promise<Message> {
  const { inbox, owner, signature, now, head } = options;
  const layout = mailLayout(inbox, owner);
  await ensurePrivateDirectory(inbox);
  using writer = new MailWriter();
  const message = completeDraft(draft, owner, now);
  writer.write(layout.live, encodeLine(message, signature));
  // This mail may stay unread for days: if it gets lost until then, that must be noticed.
  const live = await lookAtLive(layout);
  if (live) head.advance([live]);
  return message;
}
