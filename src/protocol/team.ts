import { z } from "zod";
import { Effort } from "./effort.ts";
import { lead, MemberName, MessageId, RequestId, TeamId, TeammateName } from "./ids.ts";
import { PermissionMode } from "./message.ts";

/** The version of everything under the team directory. A higher one belongs to a newer troupe. */
export const storeFormat = 1;

export const MemberStatus = z.enum(["working", "idle", "shutdown", "failed"]);
export type MemberStatus = z.infer<typeof MemberStatus>;

/** The fields of a member's record that it can have from the lead. */
export const InheritedField = z.enum(["model", "effort", "permission_mode"]);
export type InheritedField = z.infer<typeof InheritedField>;

/** One member as the roster has it. Fields that are not ours are kept. */
export const MemberRecord = z.looseObject({
  name: TeammateName,
  role: z.string(),
  status: MemberStatus,
  model: z.string().optional(),
  effort: Effort.optional(),
  color: z.string().optional(),
  /** What a person would want to know besides the status, such as `waiting for approval`. */
  detail: z.string().optional(),
  /** The workspace of the member, which has its files (default: the lead's). */
  root: z.string().optional(),
  cwd: z.string().optional(),
  permission_mode: PermissionMode.optional(),
  /** The fields that follow the lead's, because nothing else was asked for in the spawn. */
  inherits: z.array(InheritedField).optional(),
  plan_required: z.boolean().optional(),
  /** The names of its tools, if it does not have all. */
  tools: z.array(z.string()).optional(),
  /** What a program added to its system prompt. */
  instructions: z.string().optional(),
  /** The plan it has handed in since it was spawned, or last took a task. */
  plan_request: RequestId.optional(),
  spawned_at: z.iso.datetime().optional(),
  /** When it was spawned first since it was not there, or had ended. */
  alive_since: z.iso.datetime().optional(),
  /**
   * Random, and new each time it is spawned: a request to an earlier incarnation is not for this
   * one.
   */
  incarnation: z.string().optional(),
  /** Why it is being ended; set until its departure is complete. */
  ending: z.object({ reason: z.string(), expected: z.boolean() }).optional(),
  /** Signs the fields that decide what it may do, so that an edit of this file permits nothing. */
  sig: z.string().optional(),
});
export type MemberRecord = z.infer<typeof MemberRecord>;

/** A change that the person made to the rules of the whole team. */
export const RuleChange = z.object({
  decision: z.enum(["allow", "ask", "deny"]),
  rule: z.string(),
  change: z.enum(["added", "removed"]),
  at: z.iso.datetime(),
});
export type RuleChange = z.infer<typeof RuleChange>;

/** What the person decided for the whole team while it ran. */
export const TeamPermissions = z.object({
  /** The last change of each rule. */
  rules: z.array(RuleChange),
  /** The lead's mode, for a start that does not state one. */
  mode: PermissionMode.optional(),
  /** Signs the rules and the mode, so that an edit of this file permits nothing. */
  sig: z.string(),
});
export type TeamPermissions = z.infer<typeof TeamPermissions>;

/** The roster: `config.json`. */
export const TeamRecord = z.looseObject({
  team_name: z.string().min(1),
  team_id: TeamId,
  lead: MemberName.refine((name) => name === lead, `the lead's name is '${lead}'`),
  members: z.array(MemberRecord).refine(hasUniqueNames, "two members have the same name"),
  /**
   * The person's latest orders to stop everybody that were carried out, so that none is carried out
   * twice.
   */
  stops: z.array(MessageId).optional(),
  permissions: TeamPermissions.optional(),
  format: z.int().positive().default(storeFormat),
  /**
   * Proves that the team was created with its key; without it, the directory is somebody else's.
   */
  sig: z.string().optional(),
});
export type TeamRecord = z.infer<typeof TeamRecord>;

function hasUniqueNames(members: readonly { name: string }[]): boolean {
  return new Set(members.map(({ name }) => name)).size === members.length;
}
