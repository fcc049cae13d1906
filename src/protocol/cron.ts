import { z } from "zod";
import { type Checked, checked, MemberName } from "./ids.ts";

/**
 * The id of a scheduled prompt: eight random hex digits, so that it is not used again after the entry
 * is removed.
 */
export type CronId = Checked<"CronId">;
export const CronId = checked<"CronId">(/^[0-9a-f]{8}$/);

/** A scheduled prompt: `crons/<id>.json`. */
export interface CronEntry {
  /** Its id, which is also the name of its file. */
  id: CronId;
  /** Minute, hour, day of month, month and day of week in local time, or a word like `@daily`. */
  cron: string;
  /** The text that is sent. */
  prompt: string;
  /** Who gets the prompt. */
  member: MemberName;
  /** Whether it is removed after it was sent. */
  once: boolean;
  /** The lead, or `outside` if somebody has written or edited the file. */
  created_by: MemberName;
  /** When it was made: ISO 8601, in UTC. */
  created_at: string;
  /** When it is sent next, in UTC; null if `cron` is not a valid pattern, after a bad edit. */
  next_at: string | null;
}
export const CronEntry = z.object({
  id: CronId,
  cron: z.string(),
  prompt: z.string(),
  member: MemberName,
  once: z.boolean(),
  created_by: MemberName,
  created_at: z.iso.datetime(),
  next_at: z.iso.datetime().nullable(),
}) satisfies z.ZodType<CronEntry>;

/** What a cron is made from. */
export interface CronDraft {
  cron: string;
  prompt: string;
  /** Default: the lead. */
  member: string | undefined;
  once: boolean;
  /** When it was asked for, if that was before now: the process may have been killed in between. */
  askedAt?: Date | undefined;
}

export function newCronId(): CronId {
  return CronId.parse(crypto.randomUUID().slice(0, 8));
}
