import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { TeamError } from "../../errors.ts";
import { canonicalJson } from "../../lib/canonical-json.ts";
import { isWiderMode, narrowerMode } from "../../permissions/modes.ts";
import type { Isolation } from "../../protocol/checkout.ts";
import { type MemberName, parseTeammateName } from "../../protocol/ids.ts";
import { isToolAmong } from "../../protocol/mcp-tool-names.ts";
import { isContentSize, type PermissionMode } from "../../protocol/message.ts";
import { isWeakerSandbox, type SandboxMode } from "../../protocol/sandbox-mode.ts";
import { InheritedField, type MemberRecord, type TeamRecord } from "../../protocol/team.ts";
import type { SpawnRequest } from "../../tools/team/team-access.ts";
import type { RoleRecord } from "../roles/role-terms.ts";
import { isOwnField, type LeadsChoices, ownField } from "./inherited-fields.ts";
import { isInstructionsSize, maxInstructionsBytes } from "./member-definition.ts";
import { roleFields, signedFields } from "./signed-fields.ts";

export interface SpawnSurroundings {
  team: TeamRecord;
  /** What a teammate has unless something else is asked for, and may not exceed. */
  lead: LeadsChoices & { cwd: string; sandbox?: SandboxMode | undefined };
  /** Where new teammates work unless something else is asked for. */
  isolation: Isolation;
  /** The tools to work with that teammates may have. */
  toolNames: readonly string[];
  maxTeammates: number;
  /** True for a member that is at work right now. */
  isBusy(name: MemberName): boolean;
  /** Throws where a model cannot be used. */
  checkModel(id: string): void;
  now: Date;
}

const colors = ["cyan", "magenta", "yellow", "green", "blue", "red", "white", "gray"];

/**
 * The record of a teammate as it is asked for, or why it cannot be so. It changes nothing. `ofRole` is what
 * it has from the role in the request, which counts already in all else.
 */
export function spawnedRecord(
  request: SpawnRequest,
  surroundings: SpawnSurroundings,
  ofRole?: RoleRecord,
): MemberRecord {
  const { team, lead, isBusy, now } = surroundings;
  const name = parseTeammateName(request.name);
  const before = team.members.find((member) => member.name === name);
  const role = (request.role ?? before?.role ?? "").trim();
  if (role === "") throw refused("A teammate needs a role", "Say in a word or two what it does.");
  requirePrompt(request.prompt);
  const known = before && ofRole ? withoutRole(before) : before;
  if (known && isBusy(name)) {
    throw refused(
      `'${name}' is currently working`,
      `Write to it with send_message, wait for it with wait_for_teammates, or spawn another name.`,
    );
  }
  if (!known || known.status === "shutdown") requireRoom(surroundings);
  const ownModel = request.model ?? ownField(known, "model");
  const model = ownModel ?? lead.model;
  surroundings.checkModel(model);
  const ownEffort = request.effort ?? ownField(known, "effort");
  const isOwn = (field: InheritedField) => known !== undefined && isOwnField(known, field);
  const effort = ownEffort ?? (isOwn("effort") ? undefined : lead.effort);
  const ownMode = ownModeOf(request, known, lead.mode);
  const tools = request.tools ?? known?.tools;
  const ownServers = Object.keys((ofRole ?? known)?.mcp_servers?.own ?? {});
  requireTools(tools, [...surroundings.toolNames, ...ownServers.map((server) => `mcp__${server}`)]);
  const instructions = request.instructions ?? known?.instructions;
  requireInstructions(instructions);
  return {
    name,
    role,
    status: "working",
    model,
    ...(effort && { effort }),
    color: known?.color ?? colors[team.members.length % colors.length] ?? "white",
    ...(ofRole ?? roleRecordOf(known)),
    ...directoriesOf(request, known, surroundings),
    permission_mode: ownMode ?? lead.mode,
    inherits: missing({ model: ownModel, effort: ownEffort, permission_mode: ownMode }).filter(
      (field) => !isOwn(field),
    ),
    ...sandboxOf(request, known, lead.sandbox),
    plan_required: request.planRequired ?? known?.plan_required ?? false,
    ...(tools && { tools: [...tools] }),
    ...(instructions && { instructions }),
    spawned_at: now.toISOString(),
    alive_since: aliveSince(known) ?? now.toISOString(),
    incarnation: randomUUID(),
  };
}

/** Another role leaves nothing of what was asked for before, by an earlier role or without one. */
function withoutRole({ inherits: _, ...known }: MemberRecord): MemberRecord {
  const { model, effort, permission_mode, tools, instructions, sandbox, plan_required, ...kept } =
    known;
  return { ...kept, inherits: [...InheritedField.options] };
}

/** What a member keeps from its role where it is spawned again without one. */
function roleRecordOf(known: MemberRecord | undefined): RoleRecord {
  return Object.fromEntries(
    roleFields.flatMap((field) => (known?.[field] === undefined ? [] : [[field, known[field]]])),
  );
}

/** Since when a member has been in the team; undefined for one that is not. */
export function aliveSince(member: MemberRecord | undefined): string | undefined {
  if (!member || member.status === "shutdown") return undefined;
  return member.alive_since ?? member.spawned_at;
}

/** What a spawn puts in force for a member that is open, or what does not change how it is opened. */
const fieldsOfAnyMember = [
  ...["status", "permission_mode", "inherits", "plan_required", "plan_request"],
  ...["spawned_at", "alive_since", "incarnation", "ending"],
] as readonly string[];

/** True when a member can continue as it is open already: all else that decides something is the same. */
export function isSameMember(a: MemberRecord, b: MemberRecord): boolean {
  const fields = signedFields.filter((field) => !fieldsOfAnyMember.includes(field));
  // A checkout is the same for as long as it is in its place.
  const textOf = ({ checkout, ...member }: MemberRecord) =>
    canonicalJson([
      checkout?.path ?? null,
      ...fields.map((field) => (field === "checkout" ? null : (member[field] ?? null))),
    ]);
  return textOf(a) === textOf(b);
}

function missing(own: Pick<MemberRecord, InheritedField>): InheritedField[] {
  return InheritedField.options.filter((field) => own[field] === undefined);
}

/** Whether a teammate is to have a checkout: as it was asked for, now or before. */
export function isolationOf(
  request: Pick<SpawnRequest, "isolation">,
  known: MemberRecord | undefined,
  usual: Isolation,
): Isolation {
  if (request.isolation !== undefined) return request.isolation;
  if (known === undefined) return usual;
  return known.checkout ? "checkout" : "shared";
}

/**
 * Where it works. A path is from its own workspace, or from the lead's directory. One that is to have a checkout, and
 * has none that it can keep, has the directory that the checkout is to be made for.
 */
function directoriesOf(
  request: SpawnRequest,
  before: MemberRecord | undefined,
  { lead, isolation: usual }: SpawnSurroundings,
): Pick<MemberRecord, "root" | "cwd" | "checkout"> {
  const { root: asked, cwd } = request;
  const leadsCwd = lead.cwd;
  const isolation = isolationOf(request, before, usual);
  const checkout = before?.checkout;
  if (checkout && isolation === "checkout" && before.status !== "shutdown") {
    if (asked !== undefined) throw hasCheckout(before.name);
    const { root = checkout.path, cwd: place = root } = before;
    return { root, cwd: cwd === undefined ? place : resolve(root, cwd), checkout };
  }
  // The directories of an earlier checkout are of no use.
  const known = checkout ? undefined : before;
  const root = asked === undefined ? known?.root : resolve(leadsCwd, asked);
  const start = root ?? leadsCwd;
  const isMoved = asked !== undefined && root !== known?.root;
  return {
    ...(root !== undefined && { root }),
    cwd: cwd === undefined ? ((isMoved ? undefined : known?.cwd) ?? start) : resolve(start, cwd),
  };
}

function hasCheckout(name: MemberName): TeamError {
  return refused(
    `'${name}' has a checkout, and works in it`,
    "Leave the root out, shut the member down before, or spawn another name.",
  );
}

function requirePrompt(prompt: string): void {
  if (prompt.trim() === "") throw refused("The prompt is empty", "Say what it is to do.");
  if (isContentSize(prompt)) return;
  throw new TeamError("content-too-large", "The prompt is too long for a message", {
    hint: "Write it to a file and name the file in the prompt.",
  });
}

function requireRoom({ team, maxTeammates }: SpawnSurroundings): void {
  const alive = team.members.filter(({ status }) => status !== "shutdown");
  if (alive.length < maxTeammates) return;
  throw refused(
    `There are ${alive.length} teammates, and no more than ${maxTeammates} may be alive`,
    "Give the work to one of them, or shut one down first.",
  );
}

/** Throws where a teammate would have a tool that there is not, or that teammates may not have. */
export function requireTools(tools: readonly string[] | undefined, toolNames: readonly string[]) {
  const unknown = (tools ?? []).filter((tool) => !isToolAmong(toolNames, tool));
  if (unknown.length === 0) return;
  throw refused(
    `Teammates have no tool named ${unknown.map((tool) => `'${tool}'`).join(", ")}`,
    `Tools to choose from: ${toolNames.join(", ")}. Those for mail and tasks every teammate has.`,
  );
}

function requireInstructions(instructions: string | undefined): void {
  if (instructions === undefined || isInstructionsSize(instructions)) return;
  throw new TeamError("content-too-large", "The instructions are too long", {
    hint: `At most ${maxInstructionsBytes} bytes go into every request. Write more to a file and name it.`,
  });
}

/** The mode that was asked for, now or before; undefined where it has the lead's. */
function ownModeOf(
  { mode: asked }: SpawnRequest,
  known: MemberRecord | undefined,
  leads: PermissionMode,
): PermissionMode | undefined {
  const before = ownField(known, "permission_mode");
  if (asked === undefined) return before && narrowerMode(before, leads);
  if (!isWiderMode(asked, leads)) return asked;
  throw refused(
    `The permission mode '${asked}' is wider than the lead's, which is '${leads}'`,
    `Leave it out, or choose '${leads}' or a narrower one.`,
  );
}

/** The sandbox that was asked for, now or before. */
function sandboxOf(
  { sandbox: asked }: SpawnRequest,
  known: MemberRecord | undefined,
  leads: SandboxMode = "off",
): Pick<MemberRecord, "sandbox"> {
  const sandbox = asked ?? known?.sandbox;
  if (asked === undefined || !isWeakerSandbox(asked, leads)) return sandbox ? { sandbox } : {};
  throw refused(
    `The sandbox '${asked}' is weaker than the lead's, which is '${leads}'`,
    `Leave it out, or choose '${leads}' or a stricter one.`,
  );
}

function refused(message: string, hint: string): TeamError {
  return new TeamError("spawn-refused", message, { hint });
}
