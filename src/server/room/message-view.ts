import { firstCharacters, firstWords } from "../../lib/cut-text.ts";
import type { MessageView } from "../../protocol/dashboard.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import { factsOf, previewOf } from "../../protocol/message-types.ts";
import type { ListedMail } from "../../team/view/team-view.ts";

/** How much of a message is shown until the whole is requested. */
const previewCharacters = 600;
const wholeCharacters = 300_000;

interface MessageViewOptions {
  owner: MemberName;
  seenAt: string | null;
  isWhole?: boolean;
}

/** A record of `owner`'s mailbox as a person sees it. */
export function messageView(record: ListedMail, options: MessageViewOptions): MessageView {
  const { owner, seenAt, isWhole = false } = options;
  if (record.state === "set aside") {
    const { id, reason, text } = record;
    const shown = cut(text, isWhole);
    return {
      ...{ id: viewIdOf(id, owner), type: "set-aside", from: "outside", to: owner },
      ...{ sent_at: null, seen_at: null, state: "set-aside", ...shown, facts: { reason } },
    };
  }
  return mailView(record.message, { state: record.state, seenAt, isWhole });
}

interface MailViewOptions {
  state: MessageView["state"];
  seenAt: string | null;
  isWhole?: boolean;
}

export function mailView(message: Message, options: MailViewOptions): MessageView {
  const { state, seenAt, isWhole = false } = options;
  const { id, type, from, to } = message;
  return {
    id: viewIdOf(id, to),
    ...{ type, from, to, sent_at: sentAt(message), seen_at: seenAt, state },
    ...cut(previewOf(message), isWhole),
    facts: shortFacts(message),
  };
}

/**
 * The key of a message. The id of a line written by hand is a place in one mailbox, so two
 * mailboxes can have the same.
 */
function viewIdOf(id: string, owner: string): string {
  return id.startsWith("hand-") ? `${owner}:${id}` : id;
}

export function idOf(record: ListedMail): MessageId {
  return record.state === "set aside" ? record.id : record.message.id;
}

/** The id in its mailbox of the message with `key`. */
export function mailIdOf(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}

function sentAt({ timestamp }: Message): string {
  return new Date(timestamp * 1000).toISOString();
}

function cut(text: string, isWhole: boolean): { text: string; is_cut: boolean } {
  const shown = firstWords(text, isWhole ? wholeCharacters : previewCharacters);
  return { text: shown, is_cut: shown.length < text.length };
}

function shortFacts(message: Message): Record<string, string> {
  const facts = Object.entries(factsOf(message));
  return Object.fromEntries(
    facts.map(([name, value]) => [name, firstCharacters(value, previewCharacters)]),
  );
}
