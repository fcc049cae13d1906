import { z } from "zod";
import { MemberName, MessageId } from "./ids.ts";

/**
 * A command in the background whose owner has not been told of its end yet:
 * `background/<member>-<id>.json`. It is on disk before the command starts.
 */
export const JobRecord = z.object({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  /** Whose it is. */
  member: MemberName,
  /** With its secrets masked. */
  command: z.string(),
  started_at: z.iso.datetime(),
  /** The id of the one message that reports its end, however often it is sent. */
  message_id: MessageId,
});
export type JobRecord = z.infer<typeof JobRecord>;
