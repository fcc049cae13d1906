import { TeamError } from "../../errors.ts";
import { isWiderMode, narrowerMode } from "../../permissions/modes.ts";
import { lead } from "../../protocol/ids.ts";
import type { PermissionMode } from "../../protocol/message.ts";
import { isWeakerSandbox } from "../../protocol/sandbox-mode.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import type { FieldNote, FoundRole, RoleDefinition } from "../../roles/role.ts";
import type { SpawnRequest } from "../../tools/team/team-access.ts";
import { type ModelAliases, roleModel } from "./role-model.ts";
import { roleTools, WrongField } from "./role-tools.ts";

/** What a member has from its role beside what a spawn can ask for. */
export type RoleRecord = Pick<
  MemberRecord,
  | "agent"
  | "color"
  | "disallowed_tools"
  | "own_rules"
  | "asks_nobody"
  | "max_turns"
  | "max_cost"
  | "network"
  | "skills"
  | "hooks"
  | "mcp_servers"
>;

/** A role as it is in force for a member. */
export interface RoleTerms {
  readonly name: string;
  /** What it asks for as a spawn could, unless the spawn asks for something else. */
  readonly asks: Pick<
    SpawnRequest,
    | "model"
    | "effort"
    | "tools"
    | "instructions"
    | "mode"
    | "sandbox"
    | "isolation"
    | "planRequired"
  >;
  readonly record: RoleRecord;
  readonly initialPrompt: string | undefined;
  /** What of it has no effect, in sentences. */
  readonly notes: readonly string[];
}

export interface RoleSurroundings {
  /** The tools for work that a member may have. */
  toolNames: readonly string[];
  aliases: ModelAliases;
  leadsModel: string | undefined;
}

/** All of a role in force, or an error that names what cannot be. */
export function roleTerms(found: FoundRole, surroundings: RoleSurroundings): RoleTerms {
  requireUsable(found);
  const { role, path, sha256 } = found;
  try {
    const { tools, record, notes } = roleTools(role, surroundings.toolNames);
    const model = roleModel(role.model, surroundings);
    const isSilent = role.permissionMode === "dontAsk";
    const mode = role.permissionMode === "dontAsk" ? "default" : role.permissionMode;
    return {
      name: role.name,
      asks: {
        ...{ model, tools, mode, effort: role.effort, sandbox: role.sandbox },
        ...{ isolation: role.isolation, planRequired: role.planRequired },
        instructions: role.prompt || undefined,
      },
      record: {
        agent: { name: role.name, ...(path !== undefined && { path }), sha256 },
        ...record,
        ...(isSilent && { asks_nobody: true }),
        ...recordOf(role),
      },
      initialPrompt: role.initialPrompt,
      notes: [...found.ignored, ...notes].map((note) => `Role ${role.name}: ${sentence(note)}`),
    };
  } catch (error) {
    if (error instanceof WrongField) throw unusable(found, [error.note]);
    throw error;
  }
}

function recordOf(role: RoleDefinition): RoleRecord {
  const { color, maxTurns, maxCost, network, skills, hooks, mcpServers } = role;
  return {
    ...(color !== undefined && { color }),
    ...(maxTurns !== undefined && { max_turns: maxTurns }),
    ...(maxCost !== undefined && { max_cost: maxCost }),
    ...(network !== undefined && { network }),
    ...(skills && { skills: [...skills] }),
    ...(hooks && { hooks }),
    ...(mcpServers && { mcp_servers: mcpServers }),
  };
}

function requireUsable(found: FoundRole): void {
  const { role, problems, withheld, path } = found;
  if (problems.length > 0) throw unusable(found, problems);
  if (withheld.length === 0) return;
  throw new TeamError(
    "spawn-refused",
    `The role '${role.name}' has fields that need the person's consent: ${withheld.join(", ")} (${path})`,
    { hint: `The person gives it by \`troupe trust ${path}\`. Spawn another role, or none.` },
  );
}

/** The error for a role of which not everything can be in force: then nothing is. */
function unusable({ role, path }: FoundRole, problems: readonly FieldNote[]): TeamError {
  const named = problems.slice(0, 5).map(sentence).join(" ");
  const more = problems.length > 5 ? ` ${problems.length - 5} more fields are wrong.` : "";
  const where = path === undefined ? "" : ` (${path})`;
  return new TeamError(
    "spawn-refused",
    `The role '${role.name}' cannot be used${where}: ${named}${more}`,
    {
      hint: "Have the role corrected, spawn another one, or none.",
    },
  );
}

function sentence({ field, text }: FieldNote): string {
  return `its field "${field.slice(0, 60)}" ${text}${/[.?!]$/.test(text) ? "" : "."}`;
}

/** The request for a teammate with a role. What it asks for itself counts, as far as it is not less strict. */
export function withRole(
  request: SpawnRequest,
  { name, asks, initialPrompt }: RoleTerms,
  leadsMode: PermissionMode,
): SpawnRequest {
  requireMode(name, asks.mode, leadsMode);
  const texts = [asks.instructions, request.instructions].filter((text) => text !== undefined);
  return {
    ...request,
    role: request.role ?? name,
    prompt: initialPrompt === undefined ? request.prompt : `${initialPrompt}\n\n${request.prompt}`,
    model: request.model ?? asks.model,
    effort: request.effort ?? asks.effort,
    tools: toolsOf(request, asks.tools, name),
    instructions: texts.length > 0 ? texts.join("\n\n") : undefined,
    mode: modeOf(request.mode, asks.mode, leadsMode),
    sandbox: sandboxOf(request.sandbox, asks.sandbox),
    isolation: request.isolation ?? asks.isolation,
    planRequired: request.planRequired === true ? true : asks.planRequired,
  };
}

function toolsOf(
  { tools: asked }: SpawnRequest,
  tools: readonly string[] | undefined,
  role: string,
): readonly string[] | undefined {
  if (!asked || !tools) return asked ?? tools;
  const other = asked.find((tool) => !tools.includes(tool));
  if (other === undefined) return asked;
  throw new TeamError("spawn-refused", `The role '${role}' does not have the tool '${other}'`, {
    hint: `Its tools: ${tools.join(", ") || "only those for mail and tasks"}.`,
  });
}

function requireMode(role: string, mode: PermissionMode | undefined, leads: PermissionMode): void {
  if (mode === undefined || mode === "default" || !isWiderMode(mode, leads)) return;
  throw new TeamError(
    "spawn-refused",
    `The role '${role}' cannot be used: its field "permissionMode" is ${mode}, which is wider than the lead's mode, ${leads}.`,
    { hint: "Spawn another role, or none, or ask the person for a wider mode." },
  );
}

/** A role that only narrows is no error where the lead's mode is narrower still. */
function modeOf(
  asked: PermissionMode | undefined,
  mode: PermissionMode | undefined,
  leads: PermissionMode,
): PermissionMode | undefined {
  if (mode === undefined) return asked;
  const own = mode === "default" ? narrowerMode(mode, leads) : mode;
  return asked === undefined || isWiderMode(asked, own) ? own : asked;
}

function sandboxOf(asked: SpawnRequest["sandbox"], own: SpawnRequest["sandbox"]) {
  if (asked === undefined || own === undefined) return asked ?? own;
  return isWeakerSandbox(asked, own) ? own : asked;
}

/** What of a role cannot be the lead's. */
export function requireForLead({ asks, name, record }: RoleTerms): void {
  const problems: FieldNote[] = [
    ...(asks.isolation === "checkout"
      ? [{ field: "isolation", text: "is for teammates: the lead works in your directory" }]
      : []),
    ...(asks.planRequired ? [{ field: "plan_required", text: "is for teammates" }] : []),
    ...(asks.mode === "bypassPermissions"
      ? [{ field: "permissionMode", text: "can be bypassPermissions only by the flag" }]
      : []),
  ];
  if (problems.length === 0) return;
  throw new TeamError(
    "config-invalid",
    `The role '${name}' cannot be the ${lead}'s: ${problems.map(sentence).join(" ")}`,
    {
      hint: `Change ${record.agent?.path ?? "the role"}, or choose another one.`,
    },
  );
}
