import type { MessageView } from "../../../../src/protocol/dashboard.ts";

/** When a message took place: when it was sent, or for what was set aside where it was found. */
export type TimeOf = (message: MessageView) => string;

/**
 * Both lists as one in the order of `timeOf`; of two with the same id the one in `more` counts. Only
 * what comes after the first of `more` is looked at, so that new mail is cheap however much there is.
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

/** True when the two have a message in common, so that nothing is missing between them. */
export function isJoined(known: readonly MessageView[], page: readonly MessageView[]): boolean {
  const ids = new Set(page.map(({ id }) => id));
  return known.some(({ id }) => ids.has(id));
}

/** For each message without a time one right after its neighbour's in `page`, or right before. */
export function borrowedTimes(page: readonly MessageView[]): Map<string, string> {
  const times = new Map<string, string>();
  const first = page.find(({ sent_at }) => sent_at !== null)?.sent_at ?? "";
  // A time without its last letter sorts before the time, as one with a letter more does after it.
  let place = first.slice(0, -1);
  for (const { id, sent_at } of page) {
    if (sent_at === null) times.set(id, place);
    else place = timeAfter(sent_at);
  }
  return times;
}

/** What sorts right after `time`, and before any later one. */
export function timeAfter(time: string): string {
  return `${time}~`;
}

/** Where `message` is, or would be, in what is sorted. */
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
