import { TeamError } from "../errors.ts";
import type { CronEntry } from "../protocol/cron.ts";
import { nextTime } from "./cron-pattern.ts";

/** A time that is longer past than this was missed: the machine slept, or its clock was set. */
const missedAfterMs = 5 * 60_000;

/**
 * The entry with the time at which it comes next, whatever was planned before. What comes once
 * keeps an earlier time, though it be past: it is late then, but not lost.
 */
export function planAnew(entry: CronEntry, now: Date): CronEntry {
  const upcoming = requireUpcoming(entry.cron, now);
  const { once, next_at } = entry;
  if (once && next_at !== null && Date.parse(next_at) <= upcoming.getTime()) return entry;
  return { ...entry, next_at: upcoming.toISOString() };
}

/** The first time after `after`. Throws `config-invalid` where there is none. */
export function requireUpcoming(pattern: string, after: Date): Date {
  const upcoming = nextTime(pattern, after);
  if (upcoming) return upcoming;
  throw new TeamError("config-invalid", `${JSON.stringify(pattern)} never occurs`, {
    hint: "Choose a day that the month has.",
  });
}

/**
 * For which of its times an entry whose `next` has come is to fire. What comes once fires for that
 * time, however late. Of several times of a recurring one, only the newest matters. Undefined where
 * all were missed.
 */
export function dueTime({ cron, once }: CronEntry, next: Date, now: Date): Date | undefined {
  if (once) return next;
  const missed = new Date(now.getTime() - missedAfterMs);
  let due: Date | undefined;
  let at = next < missed ? nextTime(cron, missed) : next;
  while (at && at <= now) {
    due = at;
    at = nextTime(cron, at);
  }
  return due;
}
