import { Cron } from "croner";
import { TeamError } from "../errors.ts";

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
export function nextTime(pattern: string, after: Date): Date | undefined {
  return readPattern(pattern).nextRun(after) ?? undefined;
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
