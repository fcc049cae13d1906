import { Cron } from "croner";
import { TeamError } from "../errors.ts";
import type { CronEntry } from "../protocol/cron.ts";

/** Longer ones are refused before anything looks at them closely. */
const maxPatternLength = 200;

/**
 * Reads a pattern as a person or a model writes it: five fields, or a word like `@daily`. Patterns
 * with seconds, years or dates are refused: once a minute is often enough, and all that is left
 * comes again and again.
 */
export function parsePattern(text: string): string {
  const fields = text.trim().split(/\s+/);
  const pattern = fields.join(" ");
  if (pattern.length > maxPatternLength) throw notAPattern(`${pattern.slice(0, 60)}…`);
  if (fields.length !== 5 && !pattern.startsWith("@")) {
    throw notAPattern(pattern, `: it needs 5 fields and has ${fields.length}`);
  }
  readPattern(pattern);
  return pattern;
}

/** The first time after `after` at which the local time matches; undefined where none ever does. */
function nextTime(pattern: string, after: Date): Date | undefined {
  return readPattern(pattern).nextRun(after) ?? undefined;
}

/** A time further in the past was missed: the machine slept, or its clock was set. */
const missedAfterMs = 5 * 60_000;

/**
 * The entry with its next time, independent of the planned one. An entry that comes once keeps an
 * earlier time, even a past one: it is late then, but not lost.
 */
export function planAgain(entry: CronEntry, now: Date): CronEntry {
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
 * The time for which an entry whose `next` has come fires. An entry that comes once fires for that
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

function readPattern(pattern: string): Cron {
  try {
    return new Cron(pattern, { mode: "5-part" });
  } catch (error) {
    // The library's message may count days from 0, so it would mislead; it is kept as the cause.
    throw notAPattern(pattern, "", error);
  }
}

function notAPattern(pattern: string, why = "", cause?: unknown): TeamError {
  return new TeamError("config-invalid", `${JSON.stringify(pattern)} is not a cron pattern${why}`, {
    cause,
    hint: 'Give minute, hour, day of month, month and day of week in local time: "0 9 * * 1-5" is 9:00 from Monday to Friday.',
  });
}
