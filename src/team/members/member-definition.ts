import type { BudgetLimits } from "../../agent/bill.ts";
import type { RewindPoint } from "../../agent/rewind.ts";
import type { Runner } from "../../agent/runner.ts";
import type { Role } from "../../agent/system-prompt.ts";
import type { SetAsideLine } from "../../mailbox/mailbox.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { Rule } from "../../permissions/rule.ts";
import type { MemberCheckout } from "../../protocol/checkout.ts";
import type { Effort } from "../../protocol/effort.ts";
import type { HookConfiguration } from "../../protocol/hook-configuration.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import type { Message, PermissionMode } from "../../protocol/message.ts";
import type { SandboxMode } from "../../protocol/sandbox-mode.ts";
import type { MemberRecord, MemberServers } from "../../protocol/team.ts";
import type { ReceivedMail } from "../../protocol/transcript.ts";
import type { Tool } from "../../tools/tool.ts";
import type { PlanGate } from "../protocols/plans.ts";
import type { RoleRecord, RoleTerms } from "../roles/role-terms.ts";
import type { Inbox, InboxOptions } from "./inbox.ts";
import { isOwnField, ownField, ownModeLimit } from "./inherited-fields.ts";

/** The definition of a member. */
export interface MemberDefinition {
  name: MemberName;
  role: Role;
  /** Its own workspace, and the directory in it where it works. */
  root: string;
  cwd: string;
  /** Its own repository, if it has one. */
  checkout?: MemberCheckout | undefined;
  /** Such as `anthropic/claude-…`. */
  model: string;
  /** How much it thinks (default: as its model does by itself). */
  effort?: Effort | undefined;
  /** How many tokens it may think, where its model takes a number. */
  thinkingBudget?: number | undefined;
  /**
   * The mode that was asked for; `widestMode` of its context limits it. The widest mode for a member that
   * has the lead's.
   */
  mode: PermissionMode;
  rules: readonly Rule[];
  /** What was asked for its commands; the team's is in force where that is stricter. */
  sandbox?: SandboxMode | undefined;
  maxTurns: number;
  /** Of its own, beside the team's. */
  budget?: BudgetLimits | undefined;
  /** The names of its work tools (default: all). */
  tools?: readonly string[] | undefined;
  /** Its MCP servers (default: all of the team). */
  mcp?: MemberServers | undefined;
  /** The names of the skills that are given to it whole (default: none). */
  skills?: readonly string[] | undefined;
  /** The texts that its role and the program add to its system prompt. */
  instructions: readonly string[];
  /** The hooks of its role, and the file of the role. */
  hooks?:
    | { configuration: HookConfiguration; roleName: string; path: string | undefined }
    | undefined;
  /** Texts of its first turn alone (default: none). */
  opening?: readonly string[] | undefined;
  /** What else it has from its role (default: it has none). */
  ofRole?: RoleRecord | undefined;
}

/** The model of a member, or a list of them, and how much it thinks. */
export type ModelAndEffort = Required<Pick<MemberDefinition, "model" | "effort">>;

/** What one member consists of in the process that runs it. */
export interface MemberParts extends AsyncDisposable {
  readonly runner: Runner;
  readonly inbox: Inbox;
  readonly permissions: Pick<Permissions, "mode" | "setMode" | "rules" | "setRules">;
  /** The commands that it has running in the background, oldest first. */
  readonly backgroundJobs: readonly string[];
  /** True while one of them has ended, and the mail that says so is being sent to it. */
  readonly isTellingOfJobs: boolean;
  /** Resolves when no mail is between its mailbox and its transcript. */
  mailSettled(): Promise<void>;
  /** Gives it another model or effort, from its next request on. Throws where it cannot have that. */
  setModel(choice: ModelAndEffort): Promise<void>;
  /**
   * Makes void what came after a prompt of the person. It must not be running. True where it has mail
   * for a run then.
   */
  rewind(point: RewindPoint): Promise<boolean>;
  /** Takes the files of its checkout back to a state that was kept. It must not be running. */
  goBack(number: number): Promise<void>;
  /**
   * Has it begin its conversation again. It must not be running; `closeRun` ends a run that was cut
   * short. Resolves to the size of the conversation before, in tokens.
   */
  clear(closeRun: () => Promise<void>): Promise<number>;
  /** Called when a run has ended. */
  noteRunEnd(): void;
  /** Ends it for good: nobody needs to be told the results of its background jobs. */
  end(): Promise<void>;
}

/** What a member that runs here has from its team. */
export interface MemberContext extends InboxOptions {
  /** The tools by which it works with the others. */
  tools(own: OwnMail): readonly Tool[];
  /** Whether unread mail is worth a turn of its own. */
  isWorthwhile(unread: readonly Message[]): boolean;
  /** Called once for each line in its mailbox that no model is shown, for the person. */
  onSetAside(line: SetAsideLine): void;
  gate: PlanGate;
  /** The widest mode that it may have at the moment. */
  widestMode(): PermissionMode;
}

/** What a member's tools need of its own mailbox. */
export interface OwnMail {
  /** Mail for a call whose result shows it. */
  takeMail(): Promise<readonly ReceivedMail[]>;
}

/** What all teammates have from their lead. */
export type LeadSettings = Pick<
  MemberDefinition,
  "root" | "cwd" | "model" | "effort" | "thinkingBudget" | "mode" | "rules" | "sandbox" | "maxTurns"
> & {
  /** Of each teammate. */
  memberBudget?: BudgetLimits | undefined;
  instructions?: ForMembers<string> | undefined;
  memberTools?: ForMembers<readonly string[]> | undefined;
  /** The lead's own role. */
  leadRole?: RoleTerms | undefined;
};

/** A choice for the lead, and one for all teammates. */
export interface ForMembers<Choice> {
  /** The choice for the lead; what it means to leave it out depends on the option. */
  lead?: Choice | undefined;
  /** The choice for all teammates; what it means to leave it out depends on the option. */
  teammates?: Choice | undefined;
}

/** They are part of every request of a member. */
export const maxInstructionsBytes = 64 * 1024;

export function isInstructionsSize(instructions: string): boolean {
  return Buffer.byteLength(instructions) <= maxInstructionsBytes;
}

export function leadDefinition(given: LeadSettings): MemberDefinition {
  const { memberBudget: _, memberTools, instructions, leadRole, ...settings } = given;
  const { asks, record } = leadRole ?? {};
  return {
    ...settings,
    name: lead,
    role: { type: "lead", cwd: settings.cwd },
    tools: asks?.tools ?? memberTools?.lead,
    instructions: texts(asks?.instructions, instructions?.lead),
    sandbox: asks?.sandbox ?? settings.sandbox,
    maxTurns: record?.max_turns ?? settings.maxTurns,
    budget: budgetOf(undefined, record?.max_cost),
    opening: leadRole?.initialPrompt === undefined ? [] : [leadRole.initialPrompt],
    skills: record?.skills,
    mcp: record?.mcp_servers,
    hooks: record && hooksOf({ ...record, role: "lead" }),
    ofRole: record,
  };
}

/** A teammate as its record says, with what it has from its lead. */
export function teammateDefinition(
  record: MemberRecord,
  { memberBudget, memberTools, instructions, leadRole: _, ...settings }: LeadSettings,
  rules: readonly Rule[],
): MemberDefinition {
  const { name, role, root, checkout, tools = memberTools?.teammates } = record;
  const { cwd = root ?? settings.cwd } = record;
  return {
    name,
    role: { type: "teammate", name, role, cwd, ...(checkout && { checkout }) },
    root: root ?? settings.root,
    cwd,
    checkout,
    model: ownField(record, "model") ?? settings.model,
    effort: isOwnField(record, "effort") ? record.effort : settings.effort,
    thinkingBudget: settings.thinkingBudget,
    mode: ownModeLimit(record),
    rules,
    sandbox: record.sandbox ?? settings.sandbox,
    maxTurns: record.max_turns ?? settings.maxTurns,
    budget: budgetOf(memberBudget, record.max_cost),
    tools,
    skills: record.skills,
    mcp: record.mcp_servers,
    instructions: texts(instructions?.teammates, record.instructions),
    hooks: hooksOf(record),
    ...(record.agent && { ofRole: record }),
  };
}

/** The limits of all teammates, and of its role: the lower one counts. */
function budgetOf(all: BudgetLimits | undefined, maxCost: number | undefined) {
  if (maxCost === undefined) return all;
  return { ...all, maxCostUsd: Math.min(maxCost, all?.maxCostUsd ?? maxCost) };
}

function hooksOf({
  hooks,
  agent,
  role,
}: Pick<MemberRecord, "hooks" | "agent" | "role">): MemberDefinition["hooks"] {
  return hooks && { configuration: hooks, roleName: agent?.name ?? role, path: agent?.path };
}

function texts(...instructions: readonly (string | undefined)[]): string[] {
  return instructions.flatMap((text) => (text?.trim() ? [text.trim()] : []));
}
