import type { MessageView } from "../../../../src/protocol/dashboard.ts";
import type { MessagesWish } from "../../source/source.ts";
import { type Kind, kindOf, kinds, typesOf } from "./kinds.ts";

/** Which messages a person wants to see. */
export interface Filter {
  /** Only from or to this one. */
  member: string | null;
  kinds: ReadonlySet<Kind>;
  search: string;
}

export const usualKinds: ReadonlySet<Kind> = new Set(
  kinds.map(({ kind }) => kind).filter((kind) => kind !== "control"),
);

/** What the source is asked for, so that the filter reaches all there is. */
export function wishOf({ member, kinds: chosen, search }: Filter): MessagesWish {
  const text = search.trim();
  return {
    ...(member !== null && { member }),
    ...(chosen.size < kinds.length && { types: typesOf(chosen) }),
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
  const kind = kindOf(message.type);
  if (kind !== null && !filter.kinds.has(kind)) return "no";
  const text = search.trim().toLowerCase();
  const words = [message.text, message.from, message.to];
  if (words.some((each) => each.toLowerCase().includes(text))) return "yes";
  return message.is_cut ? "unknown" : "no";
}
