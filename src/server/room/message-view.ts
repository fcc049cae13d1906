import { firstCharacters, firstWords } from "../../lib/cut-text.ts";
import type { MessageView } from "../../protocol/dashboard.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { ListedMail } from "../../team/view/team-view.ts";

/** So much of a message is shown before somebody asks for the whole. */
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
      ...{ id: keyOf(id, owner), type: "set-aside", from: "outside", to: owner },
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
    id: keyOf(id, to),
    ...{ type, from, to, sent_at: sentAt(message), seen_at: seenAt, state },
    ...cut(textOf(message), isWhole),
    facts: factsOf(message),
  };
}

/** Ids of lines that nobody numbered name a place in one mailbox, so that two can be alike. */
function keyOf(id: string, owner: string): string {
  return id.startsWith("hand-") ? `${owner}:${id}` : id;
}

export function idOf(record: ListedMail): MessageId {
  return record.state === "set aside" ? record.id : record.message.id;
}

/** The id in its mailbox of what a view calls `key`. */
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

/** What a message says, or what takes the place of that in its type. */
function textOf(message: Message): string {
  if (message.content !== "") return message.content;
  switch (message.type) {
    case "plan_approval_request":
      return message.plan;
    case "plan_approval_response":
      return message.feedback ?? "";
    case "permission_request":
    case "permission_response":
    case "shutdown_response":
    case "teammate_terminated":
      return message.reason ?? "";
    case "team_permission_update":
      return message.rule;
    case "message":
    case "broadcast":
    case "result":
    case "idle_notification":
    case "task_assignment":
    case "shutdown_request":
    case "mode_set_request":
    case "sandbox_permission_request":
    case "sandbox_permission_response":
      return "";
  }
}

const factNames = [
  ...["outcome", "approve", "decision", "task_id", "request_id", "tool", "mode", "rule"],
  ...["reason", "teammate", "expected"],
];

function factsOf(message: Message): Record<string, string> {
  const facts: Record<string, string> = {};
  for (const name of factNames) {
    const value: unknown = Reflect.get(message, name);
    const isPlain = ["string", "number", "boolean"].includes(typeof value);
    if (isPlain) facts[name] = firstCharacters(String(value), previewCharacters);
  }
  return facts;
}
