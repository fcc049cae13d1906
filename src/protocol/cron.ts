import { z } from "zod";
import { MemberName } from "./ids.ts";

/** Eight random hex digits, so that an id is not used again after its entry is removed. */
export const CronId = z
  .string()
  .regex(/^[0-9a-f]{8}$/)
  .brand<"CronId">();
export type CronId = z.infer<typeof CronId>;

/** A scheduled prompt: `crons/<id>.json`. */
export const CronEntry = z.object({
  id: CronId,
  /** Minute, hour, day of month, month and day of week in local time, or a word like `@daily`. */
  cron: z.string(),
  prompt: z.string(),
  /** Who gets the prompt. */
  member: MemberName,
  /** Whether it is removed after it was sent. */
  once: z.boolean(),
  /** The lead, or `outside` if somebody has written or edited the file. */
  created_by: MemberName,
  created_at: z.iso.datetime(),
  /** When it is sent next; null if `cron` is not a valid pattern, after a bad edit. */
  next_at: z.iso.datetime().nullable(),
});
export type CronEntry = z.infer<typeof CronEntry>;

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
