import type { Message } from "../../protocol/message.ts";
import { isOrder, wakes, wakesWhenQuiet } from "../../protocol/message-types.ts";
import { isTooMuch } from "./wake-policy.ts";

/** How much of the mail of a member that is not to run is taken in all the same, from the oldest on. */
export function countWithoutRun(unread: readonly Message[]): number {
  if (isTooMuch(unread)) return unread.length;
  const throughOrders = unread.slice(0, unread.findLastIndex(isOrder) + 1);
  // Nothing that deserves a run, such as the answer to a plan, is taken in without one.
  return throughOrders.some(deservesRun) ? 0 : throughOrders.length;
}

function deservesRun(message: Message): boolean {
  return wakes(message) || wakesWhenQuiet(message);
}
