import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import type { MessageGroup } from "../../../../src/protocol/message-types.ts";
import type { MessagesWish } from "../../source/source.ts";
import { groupOf, messageGroups, typesOf } from "./message-groups.ts";

/** Which messages a person wants to see. */
export interface Filter {
  /** Only from or to this one. */
  member: string | null;
  groups: ReadonlySet<MessageGroup>;
  search: string;
}

export const usualGroups: ReadonlySet<MessageGroup> = new Set(
  messageGroups.map(({ group }) => group).filter((group) => group !== "control"),
);

/** What the source is asked for, so that the filter reaches all there is. */
export function wishOf({ member, groups: chosen, search }: Filter): MessagesWish {
  const text = search.trim();
  return {
    ...(member !== null && { member }),
    ...(chosen.size < messageGroups.length && { types: typesOf(chosen) }),
    ...(text !== "" && { search: text }),
  };
}

/**
 * Whether a message that came by itself belongs to what was asked for. `unknown` where only the part
 * of its text that was left out can tell.
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
