import { z } from "zod";
import { CommitId } from "./ids.ts";
import { PermissionMode } from "./message.ts";

/** What the dashboard's page asks its server for, and what it sends. */

const cursor = z.string().max(20_000);
const count = z.coerce.number().int().min(1).max(500);

/** `GET /api/messages`. */
export const MessagesQuery = z.object({
  before: cursor.optional(),
  limit: count.default(100),
  /** Only mail from or to this member. */
  member: z.string().max(64).optional(),
  /** Only mail of these types, with commas between them. */
  types: z.string().max(500).optional(),
  search: z.string().max(200).optional(),
});
export type MessagesQuery = z.infer<typeof MessagesQuery>;

/** `GET /api/members/<name>/transcript`. */
export const EntriesQuery = z.object({
  before: cursor.optional(),
  after: cursor.optional(),
  limit: count.default(100),
  search: z.string().max(200).optional(),
});
export type EntriesQuery = z.infer<typeof EntriesQuery>;

/** `GET /api/stream`, with the member whose text is streamed as it is written. */
export const StreamQuery = z.object({
  watch: z.string().max(64).optional(),
  /** Like `Last-Event-ID`, for a connection that the page itself opens again. */
  after: z.string().max(100).optional(),
});

/** `GET /api/away`. */
export const AwayQuery = z.object({ since: z.iso.datetime() });

/** `POST /api/messages`. */
export const SendBody = z.object({ to: z.string().min(1).max(64), content: z.string().min(1) });
export type SendBody = z.infer<typeof SendBody>;

/** `POST /api/requests/<id>/answer`. */
export const AnswerBody = z.object({
  /** The hash of the question that the person was shown. */
  hash: z.string(),
  decision: z.enum(["allow-once", "allow-always", "deny"]),
  reason: z.string().max(10_000).optional(),
});
export type AnswerBody = z.infer<typeof AnswerBody>;

/** `POST /api/landings/<id>/decision`. */
export const LandingBody = z.object({
  /** The commit whose changes the person was shown. */
  commit: CommitId,
  decision: z.enum(["land", "discard"]),
});
export type LandingBody = z.infer<typeof LandingBody>;

/** `POST /api/stop`: one member, or all of them and the lead's run. */
export const StopBody = z.object({ member: z.string().min(1).max(64).optional() });
export type StopBody = z.infer<typeof StopBody>;

/** `POST /api/rules`: adds a permission rule to the team, or removes one that was added. */
export const RuleBody = z.object({
  change: z.enum(["added", "removed"]),
  decision: z.enum(["allow", "ask", "deny"]),
  rule: z.string().min(1).max(10_000),
});
export type RuleBody = z.infer<typeof RuleBody>;

/** `POST /api/mode`. The mode that asks nothing is only ever typed in a terminal. */
export const ModeBody = z.object({
  member: z.string().min(1).max(64),
  mode: PermissionMode.exclude(["bypassPermissions"]),
});
export type ModeBody = z.infer<typeof ModeBody>;
