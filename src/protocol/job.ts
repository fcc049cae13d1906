import { z } from "zod";
import { MemberName, MessageId } from "./ids.ts";

/**
 * A background command whose end has not been reported to its owner yet:
 * `background/<member>-<id>.json`. The record is on disk before the command starts.
 */
export const JobRecord = z.object({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  /** The owner. */
  member: MemberName,
  /** With its secrets masked. */
  command: z.string(),
  started_at: z.iso.datetime(),
  /** The id of the one message that reports its end, however often it is sent. */
  message_id: MessageId,
});
export type JobRecord = z.infer<typeof JobRecord>;
