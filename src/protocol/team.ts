import { z } from "zod";
import { MemberCheckout } from "./checkout.ts";
import { Effort, EffortChoice } from "./effort.ts";
import { HookConfiguration } from "./hook-configuration.ts";
import { lead, MemberName, MessageId, RequestId, TeamId, TeammateName } from "./ids.ts";
import { lateSchema } from "./late-schema.ts";
import { McpServers } from "./mcp-servers.ts";
import { PermissionMode } from "./message.ts";
import { SandboxMode } from "./sandbox-mode.ts";
import { SandboxNetwork } from "./sandbox-network.ts";

/** The version of everything under the team directory. A higher one belongs to a newer troupe. */
export const storeFormat = 1;

/** What a member does. `shutdown`: it has ended; `failed`: its last run failed, and it can be woken again. */
export type MemberStatus = "working" | "idle" | "shutdown" | "failed";
export const MemberStatus = z.enum(["working", "idle", "shutdown", "failed"]);

/** The fields of a member's record that it can have from the lead. */
export type InheritedField = "model" | "effort" | "permission_mode";
export const InheritedField = z.enum(["model", "effort", "permission_mode"]);

/** Why a member is being ended. */
export interface MemberEnding {
  /** The reason, for people. */
  reason: string;
  /** True if somebody asked for it. */
  expected: boolean;
}

/** The role that a member was spawned with, as it was then. */
export interface RoleReference {
  /** The name of the role. */
  name: string;
  /** The absolute path of its file; absent for a role of a program. */
  path?: string | undefined;
  /** The hash of its bytes. */
  sha256: string;
}
export const RoleReference = z.object({
  name: z.string(),
  path: z.string().optional(),
  sha256: z.string(),
}) satisfies z.ZodType<RoleReference>;

/** Rules for the calls of one member, beside those of the team. They permit nothing. */
export interface OwnRules {
  /** Of the calls that one of these is about in kind, only those that one covers: `bash(git:*)`. */
  only?: string[] | undefined;
  /** Calls that are asked. */
  ask?: string[] | undefined;
  /** Calls that are never run. */
  deny?: string[] | undefined;
}
export const OwnRules = z.object({
  only: z.array(z.string()).optional(),
  ask: z.array(z.string()).optional(),
  deny: z.array(z.string()).optional(),
}) satisfies z.ZodType<OwnRules>;

/** The MCP servers that a member has. */
export interface MemberServers {
  /** Names of servers that are configured for the team. */
  names: string[];
  /** Servers of this member alone, by name. */
  own: McpServers;
}
export const MemberServers = z.object({
  names: z.array(z.string()),
  own: McpServers,
}) satisfies z.ZodType<MemberServers>;

/** One member as the roster has it. */
export interface MemberRecord {
  /** Its name, which is unique in the team. */
  name: MemberName;
  /** What it is in the team, in a word or two, such as `tester`. */
  role: string;
  /** What it does. */
  status: MemberStatus;
  /** The id of its model; see `inherits`. */
  model?: string | undefined;
  /** How much it thinks (default: as its model does); see `inherits`. */
  effort?: Effort | undefined;
  /** The color in which it is shown. */
  color?: string | undefined;
  /** What a person would want to know besides the status, such as `waiting for approval`. */
  detail?: string | undefined;
  /** The workspace of the member, which has its files (default: the lead's). */
  root?: string | undefined;
  /** The directory that it works in (default: the lead's). */
  cwd?: string | undefined;
  /** Its own repository, if it was asked for with one; `root` is in it then. */
  checkout?: MemberCheckout | undefined;
  /** Its permission mode; see `inherits`. */
  permission_mode?: PermissionMode | undefined;
  /** Whether its commands run in a sandbox (default: as the lead's). It counts where it is stricter than the lead's. */
  sandbox?: SandboxMode | undefined;
  /** The fields that follow the lead's, because nothing else was asked for in the spawn. */
  inherits?: InheritedField[] | undefined;
  /** Whether it may change something only after its plan is approved (default: false). */
  plan_required?: boolean | undefined;
  /** The names of its tools, if it does not have all. */
  tools?: string[] | undefined;
  /** The names of tools that it does not have. */
  disallowed_tools?: string[] | undefined;
  /** What was added to its system prompt: the text of its role, and what a program gave. */
  instructions?: string | undefined;
  /** The role that it was spawned with. */
  agent?: RoleReference | undefined;
  /** Rules for its calls alone. */
  own_rules?: OwnRules | undefined;
  /** Whether what would be asked is denied (default: false). */
  asks_nobody?: boolean | undefined;
  /** The most turns of one run (default: as the team's). */
  max_turns?: number | undefined;
  /** What it may spend, in dollars (default: as all teammates). */
  max_cost?: number | undefined;
  /** What its commands in a sandbox reach (default: as the team's). */
  network?: SandboxNetwork | undefined;
  /** The names of the skills that are given to it whole. */
  skills?: string[] | undefined;
  /** The hooks of its role, beside those of the team. */
  hooks?: HookConfiguration | undefined;
  /** The MCP servers that it has (default: as the team's). */
  mcp_servers?: MemberServers | undefined;
  /** The plan it has submitted since it was spawned, or last took a task. */
  plan_request?: RequestId | undefined;
  /** When it was spawned: ISO 8601, in UTC. */
  spawned_at?: string | undefined;
  /** When it was spawned first since it was not there, or had ended: ISO 8601, in UTC. */
  alive_since?: string | undefined;
  /**
   * Random, and new each time it is spawned: a request to an earlier incarnation is not for this
   * one.
   */
  incarnation?: string | undefined;
  /** Why it is being ended; set until its departure is complete. */
  ending?: MemberEnding | undefined;
  /** Signs the fields that decide what it may do, so that an edit of this file permits nothing. */
  sig?: string | undefined;
}
/** Fields that are not ours are kept. */
export const MemberRecord = z.looseObject({
  name: TeammateName,
  role: z.string(),
  status: MemberStatus,
  model: z.string().optional(),
  effort: Effort.optional(),
  color: z.string().optional(),
  detail: z.string().optional(),
  root: z.string().optional(),
  cwd: z.string().optional(),
  checkout: MemberCheckout.optional(),
  permission_mode: PermissionMode.optional(),
  sandbox: SandboxMode.optional(),
  inherits: z.array(InheritedField).optional(),
  plan_required: z.boolean().optional(),
  tools: z.array(z.string()).optional(),
  disallowed_tools: z.array(z.string()).optional(),
  instructions: z.string().optional(),
  agent: RoleReference.optional(),
  own_rules: OwnRules.optional(),
  asks_nobody: z.boolean().optional(),
  max_turns: z.int().positive().optional(),
  max_cost: z.number().positive().optional(),
  network: SandboxNetwork.optional(),
  skills: z.array(z.string()).optional(),
  hooks: lateSchema(() => HookConfiguration).optional(),
  mcp_servers: lateSchema(() => MemberServers).optional(),
  plan_request: RequestId.optional(),
  spawned_at: z.iso.datetime().optional(),
  alive_since: z.iso.datetime().optional(),
  incarnation: z.string().optional(),
  ending: z.object({ reason: z.string(), expected: z.boolean() }).optional(),
  sig: z.string().optional(),
}) satisfies z.ZodType<MemberRecord>;

/** A change that the person made to the rules of the whole team. */
export interface RuleChange {
  /** What the rule decides. */
  decision: "allow" | "ask" | "deny";
  /** The rule, such as `bash(npm test:*)`. */
  rule: string;
  /** Whether it was added or removed. */
  change: "added" | "removed";
  /** When: ISO 8601, in UTC. */
  at: string;
}
export const RuleChange = z.object({
  decision: z.enum(["allow", "ask", "deny"]),
  rule: z.string(),
  change: z.enum(["added", "removed"]),
  at: z.iso.datetime(),
}) satisfies z.ZodType<RuleChange>;

/** What the person decided for the whole team while it ran. */
export interface TeamPermissions {
  /** The last change of each rule. */
  rules: RuleChange[];
  /** The lead's mode, for a start that does not state one. */
  mode?: PermissionMode | undefined;
  /** The lead's mode in the process that ran the team last (default: `default`): for people, in other processes. */
  mode_in_force?: PermissionMode | undefined;
  /** The lead's model, for a start that does not state one. */
  model?: string | undefined;
  /** The lead's effort, for a start that does not state one. */
  effort?: EffortChoice | undefined;
  /** Signs all of it, so that an edit of this file permits nothing. */
  sig: string;
}
export const TeamPermissions = z.object({
  rules: z.array(RuleChange),
  mode: PermissionMode.optional(),
  mode_in_force: PermissionMode.optional(),
  model: z.string().optional(),
  effort: EffortChoice.optional(),
  sig: z.string(),
}) satisfies z.ZodType<TeamPermissions>;

/** The roster: `config.json`. */
export interface TeamRecord {
  /** The name of the team, for people. */
  team_name: string;
  /** The id of the team, which decides the path of its key. */
  team_id: TeamId;
  /** The lead's name, which is always `lead`. */
  lead: MemberName;
  /** All members but the lead, in the order of their first spawn. */
  members: MemberRecord[];
  /**
   * The person's latest orders to stop everybody that were carried out, so that none is carried out
   * twice.
   */
  stops?: MessageId[] | undefined;
  /** What the person decided for the whole team; absent before the first decision. */
  permissions?: TeamPermissions | undefined;
  /** The version of everything under the team directory. */
  format: number;
  /**
   * Proves that the team was created with its key; without it, the directory is somebody else's.
   */
  sig?: string | undefined;
}
/** Fields that are not ours are kept. */
export const TeamRecord = z.looseObject({
  team_name: z.string().min(1),
  team_id: TeamId,
  lead: MemberName.refine((name) => name === lead, `the lead's name is '${lead}'`),
  members: z.array(MemberRecord).refine(hasUniqueNames, "two members have the same name"),
  stops: z.array(MessageId).optional(),
  permissions: TeamPermissions.optional(),
  format: z.int().positive().default(storeFormat),
  sig: z.string().optional(),
}) satisfies z.ZodType<TeamRecord>;

function hasUniqueNames(members: readonly { name: string }[]): boolean {
  return new Set(members.map(({ name }) => name)).size === members.length;
}
