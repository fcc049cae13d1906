import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import type { MessageGroup } from "../../../../src/protocol/message-types.ts";
import type { MessagesPageQuery } from "../../source/source.ts";
import { groupOf, messageGroups, typesOf } from "./message-groups.ts";

/** The filter for messages. */
export interface Filter {
  /** Only messages from or to this member. */
  member: string | null;
  groups: ReadonlySet<MessageGroup>;
  search: string;
}

export const usualGroups: ReadonlySet<MessageGroup> = new Set(
  messageGroups.map(({ group }) => group).filter((group) => group !== "control"),
);

/** The query for the source, so that the filter applies to all messages. */
export function wishOf({ member, groups: chosen, search }: Filter): MessagesPageQuery {
  const text = search.trim();
  return {
    ...(member !== null && { member }),
    ...(chosen.size < messageGroups.length && { types: typesOf(chosen) }),
    ...(text !== "" && { search: text }),
  };
}

/**
 * Whether a live message matches the filter. `unknown` if that depends on the omitted part of its
 * text.
 */
export function match(filter: Filter, message: MessageView): "yes" | "no" | "unknown" {
  const { member, search } = filter;
  if (member !== null && message.from !== member && message.to !== member) return "no";
  const group = groupOf(message.type);
  if (group !== null && !filter.groups.has(group)) return "no";
  const text = search.trim().toLowerCase();
  const words = [message.text, message.from, message.to];
  if (words.some((each) => each.toLowerCase().includes(text))) return "yes";
  return message.is_cut ? "unknown" : "no";
}
