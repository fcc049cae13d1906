import { z } from "zod";
import { MemberName, MessageId } from "./ids.ts";

/**
 * A background command whose end has not been reported to its owner yet:
 * `background/<member>-<id>.json`. The record is on disk before the command starts.
 */
export interface JobRecord {
  /** Eight hex digits, by which its owner knows it. */
  id: string;
  /** The owner. */
  member: MemberName;
  /** The command line, with its secrets masked. */
  command: string;
  /** When it was started: ISO 8601, in UTC. */
  started_at: string;
  /** The id of the one message that reports its end, however often it is sent. */
  message_id: MessageId;
}
export const JobRecord = z.object({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  member: MemberName,
  command: z.string(),
  started_at: z.iso.datetime(),
  message_id: MessageId,
}) satisfies z.ZodType<JobRecord>;
