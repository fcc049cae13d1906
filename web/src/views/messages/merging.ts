import type { MessageView } from "../../../../src/protocol/dashboard.ts";

/** The time of a message. A line that was set aside gets the time of its neighbour. */
export type TimeOf = (message: MessageView) => string;

/**
 * Both lists merged in the order of `timeOf`. If an id is in both, the message in `more` is used.
 * Only messages after the first of `more` are compared, so that new mail is cheap even in a long
 * list.
 */
export function mergedInto(
  known: readonly MessageView[],
  more: readonly MessageView[],
  timeOf: TimeOf,
): readonly MessageView[] {
  const order = byTime(timeOf);
  const first = more.reduce<MessageView | undefined>(
    (least, message) => (least && order(least, message) <= 0 ? least : message),
    undefined,
  );
  if (!first) return known;
  const start = placeOf(known, first, order);
  const byId = new Map(known.slice(start).map((message) => [message.id, message]));
  for (const message of more) byId.set(message.id, message);
  return [...known.slice(0, start), ...[...byId.values()].sort(order)];
}

/** True if the lists have a message in common, so that no message between them is missing. */
export function isJoined(known: readonly MessageView[], page: readonly MessageView[]): boolean {
  const ids = new Set(page.map(({ id }) => id));
  return known.some(({ id }) => ids.has(id));
}

/** A time for each message without one: right after, or before, that of its neighbour in `page`. */
export function borrowedTimes(page: readonly MessageView[]): Map<string, string> {
  const times = new Map<string, string>();
  const first = page.find(({ sent_at }) => sent_at !== null)?.sent_at ?? "";
  // A time without its last character sorts before the full one; one with a character more sorts
  // after it.
  let place = first.slice(0, -1);
  for (const { id, sent_at } of page) {
    if (sent_at === null) times.set(id, place);
    else place = timeAfter(sent_at);
  }
  return times;
}

/** A text that sorts right after `time` and before any later time. */
export function timeAfter(time: string): string {
  return `${time}~`;
}

/** The index of `message`, or where it would be, in a sorted list. */
function placeOf(
  known: readonly MessageView[],
  message: MessageView,
  order: ReturnType<typeof byTime>,
): number {
  let [low, high] = [0, known.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = known[middle];
    if (other && order(other, message) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byTime(timeOf: TimeOf): (a: MessageView, b: MessageView) => number {
  return (a, b) => {
    const [first, second] = [timeOf(a), timeOf(b)];
    if (first !== second) return first < second ? -1 : 1;
    return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
  };
}
