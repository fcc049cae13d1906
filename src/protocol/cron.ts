import { z } from "zod";
import { MemberName } from "./ids.ts";

/** Eight hex digits, drawn at random, so that no id comes again when its entry is gone. */
export const CronId = z
  .string()
  .regex(/^[0-9a-f]{8}$/)
  .brand<"CronId">();
export type CronId = z.infer<typeof CronId>;

/** A prompt that comes by the clock: `crons/<id>.json`. */
export const CronEntry = z.object({
  id: CronId,
  /** Minute, hour, day of month, month and day of week in local time, or a word like `@daily`. */
  cron: z.string(),
  prompt: z.string(),
  /** Who gets the prompt. */
  member: MemberName,
  /** Whether it is gone after it has come. */
  once: z.boolean(),
  /** The lead, or `outside` where somebody has written or edited the file. */
  created_by: MemberName,
  created_at: z.iso.datetime(),
  /** When it comes next; null while nobody knows, because `cron` was edited into nonsense. */
  next_at: z.iso.datetime().nullable(),
});
export type CronEntry = z.infer<typeof CronEntry>;

export function newCronId(): CronId {
  return CronId.parse(crypto.randomUUID().slice(0, 8));
}
