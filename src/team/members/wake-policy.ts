import { lead, type MemberName, outside, user } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import { isOrder, wakes, wakesWhenQuiet } from "../../protocol/message-types.ts";
import type { ChatterGuard } from "./chatter-guard.ts";
import type { MemberState } from "./member-handle.ts";

/** A mailbox shows at least this much unread mail at once; later mail is not seen. */
const tooManyMessages = 2_000;
const tooManyCharacters = 1_000_000;

/** True when unread mail might hide later mail: then it is taken in, worth a run or not. */
function isTooMuch(unread: readonly Message[]): boolean {
  if (unread.length >= tooManyMessages) return true;
  const characters = unread.reduce((sum, { content }) => sum + content.length, 0);
  return characters >= tooManyCharacters;
}

/**
 * How much of the mail of a member that is not to run is taken in all the same, from the oldest on:
 * everything where it is too much, otherwise all mail up to the last order.
 */
export function countWithoutRun(unread: readonly Message[]): number {
  if (isTooMuch(unread)) return unread.length;
  const throughOrders = unread.slice(0, unread.findLastIndex(isOrder) + 1);
  // Mail that deserves a run, such as the answer to a plan, is not taken in without one.
  const deservesRun = throughOrders.some((it) => wakes(it) || wakesWhenQuiet(it));
  return deservesRun ? 0 : throughOrders.length;
}

/** How much of the mail, from the oldest on, came before the person wrote again at that time. */
export function countSentBefore(date: Date, unread: readonly Message[]): number {
  const next = unread.findIndex(
    ({ from, timestamp }) =>
      (from === user || from === outside) && timestamp * 1000 >= date.getTime(),
  );
  return next < 0 ? unread.length : next;
}

export interface WakePolicyOptions {
  guard: Pick<ChatterGuard, "isMuted">;
  isAnyTeammateBusy(): boolean;
}

/** Decides whether unread mail is worth a run of a member, or another turn of one. */
export function isWorthwhile(
  unread: readonly Message[],
  { name, state }: { name: MemberName; state: Pick<MemberState, "failure" | "isInterrupted"> },
  { guard, isAnyTeammateBusy }: WakePolicyOptions,
): boolean {
  if (state.failure !== undefined || state.isInterrupted) {
    return unread.some((it) => wakes(it) && isFromBoss(it, name));
  }
  if (isTooMuch(unread)) return true;
  const heard = unread.filter(({ from }) => !guard.isMuted(name, from));
  if (heard.some(wakes)) return true;
  // The results of talk among teammates can wait until no teammate works.
  return name === lead && heard.some(wakesWhenQuiet) && !isAnyTeammateBusy();
}

/** Only the person, or the lead of a teammate, restarts a member that failed or was interrupted. */
function isFromBoss({ from }: Message, name: MemberName): boolean {
  return from === user || (from === lead && name !== lead);
}
