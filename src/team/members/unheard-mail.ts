import { wakes, wakesInTheEnd } from "../../agent/wakes.ts";
import type { Message } from "../../protocol/message.ts";
import { isOrder } from "../protocols/control-mail.ts";
import { isTooMuch } from "./wake-policy.ts";

/** How much of the mail of a member that is not to run is taken in all the same, from the oldest on. */
export function countWithoutRun(unread: readonly Message[]): number {
  if (isTooMuch(unread)) return unread.length;
  const orders = unread.findLastIndex(isOrder) + 1;
  const before = unread.slice(0, orders);
  // Nothing that deserves a run is taken in without one: then the order waits, too.
  return before.every((message) => isOrder(message) || !deservesRun(message)) ? orders : 0;
}

function deservesRun(message: Message): boolean {
  return wakes(message) || wakesInTheEnd(message);
}
