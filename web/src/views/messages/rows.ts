import type { MessageView } from "../../../../src/protocol/dashboard.ts";

/** One row of the diagram: a message, or its copies to several members. */
export interface MessageRow {
  /** The id of the first message. */
  key: string;
  /** At least one. They differ only in their recipient and state. */
  messages: readonly [MessageView, ...MessageView[]];
}

/** The longest time between copies of one message. */
const sameMessageMs = 1_000;

/**
 * Combines adjacent copies of one message into one row. Rows of the earlier list `before` stay the
 * same objects as far as both lists begin with the same messages.
 */
export function rowsOf(
  messages: readonly MessageView[],
  before: readonly MessageRow[] = [],
): MessageRow[] {
  const rows = unchanged(messages, before);
  let next = rows.reduce((count, row) => count + row.messages.length, 0);
  while (next < messages.length) {
    const first = messages[next++];
    if (!first) break;
    const copies: [MessageView, ...MessageView[]] = [first];
    const recipients = new Set([first.to]);
    for (let copy = messages[next]; copy && isCopy(first, copy); copy = messages[++next]) {
      if (recipients.has(copy.to)) break;
      recipients.add(copy.to);
      copies.push(copy);
    }
    rows.push({ key: first.id, messages: copies });
  }
  return rows;
}

/** The index of the row with the message `id`, or -1. */
export function rowIndexOf(rows: readonly MessageRow[], id: string | null): number {
  if (id === null) return -1;
  return rows.findIndex(
    ({ key, messages }) => key === id || messages.some((message) => message.id === id),
  );
}

/** The rows of `before` that are unchanged. The last of them may have got more copies. */
function unchanged(messages: readonly MessageView[], before: readonly MessageRow[]): MessageRow[] {
  let at = 0;
  const changed = before.findIndex((row) =>
    row.messages.some((message) => messages[at++] !== message),
  );
  return before.slice(0, Math.max(0, (changed < 0 ? before.length : changed) - 1));
}

function isCopy(a: MessageView, b: MessageView): boolean {
  if (a.from !== b.from || a.type !== b.type || a.text !== b.text) return false;
  // Lines that were set aside, and mail without text, may be equal without being copies.
  if (a.sent_at === null || b.sent_at === null || a.text === "") return false;
  // Texts are compared first, which is faster than parsing times.
  const isSameSecond = a.sent_at.startsWith(b.sent_at.slice(0, 19));
  if (!isSameSecond && Date.parse(b.sent_at) - Date.parse(a.sent_at) > sameMessageMs) return false;
  for (const name in a.facts) if (a.facts[name] !== b.facts[name]) return false;
  for (const name in b.facts) if (a.facts[name] !== b.facts[name]) return false;
  return true;
}
