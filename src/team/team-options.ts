import { join, resolve } from "node:path";
import type { BudgetLimits } from "../agent/bill.ts";
import { TeamError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import type { EnvironmentVariables } from "../model/provider-settings.ts";
import { parseRule, type Rule, requireKnownTool } from "../permissions/rule.ts";
import type { Effort } from "../protocol/effort.ts";
import type { LandingMode } from "../protocol/landing.ts";
import { isMcpToolName, isToolAmong } from "../protocol/mcp-tool-names.ts";
import type { PermissionMode } from "../protocol/message.ts";
import type { SandboxNetwork } from "../protocol/sandbox-network.ts";
import { builtInToolNames, checkOwnTools } from "../tools/check-own-tools.ts";
import { workToolNames } from "../tools/work-tools.ts";
import type { ApprovalOptions, EquipmentOptions } from "./equipment.ts";
import type { ForMembers, LeadSettings } from "./members/member-definition.ts";
import type { OnRequest } from "./protocols/request-answerer.ts";
import { systemEnvironment, systemPlace } from "./system-place.ts";
import type { TeamPlace } from "./team-place.ts";

/** All that `Team.open` takes. Only `cwd` is required. */
export interface TeamOptions extends Omit<EquipmentOptions, "place" | "env" | "approvals"> {
  /** The workspace. */
  cwd: string;
  /** The team directory, clock and processes (default: `.team` in the workspace, on this machine). */
  place?: TeamPlace;
  /** Has the providers and their keys (default: the environment of this process). */
  env?: EnvironmentVariables;
  /** Called with warnings for the person, where `place` is left out. */
  onWarning?(message: string): void;
  /** The model of the lead, and of teammates without their own (default: the one that was last set by `setModel`, or `defaultModel`). */
  model?: string | undefined;
  /** The model where none is stated and none was set (default: `TROUPE_MODEL`, or one for the key that is set). */
  defaultModel?: string | undefined;
  /** How much the lead thinks, and teammates without their own effort (default: as was last set by `setModel`, or `defaultEffort`). */
  effort?: Effort | undefined;
  /** The effort where none is stated and none was set (default: as their models do). */
  defaultEffort?: Effort | undefined;
  /** How many tokens a reply may spend on thoughts, for models that take a number. */
  thinkingBudget?: number | undefined;
  /** The name of the lead's role (default: it has none). Beside it, `model`, `effort` and a stricter `mode` count. */
  agent?: string | undefined;
  /** The lead's mode (default: the one that was last set by `setMode`, or `default`). */
  mode?: PermissionMode | undefined;
  /**
   * Texts for the system prompts, after all that troupe says: of the lead, and of every teammate, before
   * those of its own spawn.
   */
  instructions?: ForMembers<string>;
  /**
   * The names of the tools for work, built-in and own, that the lead has and that teammates may have (default: all). A
   * spawn chooses among those of teammates. The tools for mail, tasks and the team stay.
   */
  memberTools?: ForMembers<readonly string[]>;
  /** Gives the lead the tool by which it answers `Team.ask` (default: false). */
  structuredResults?: boolean;
  /** Rules for calls that run without being asked, as a person writes them: `bash(npm test:*)`. */
  allow?: readonly RuleOption[];
  /** Rules for calls that are always asked. Beats `allow`. */
  ask?: readonly RuleOption[];
  /** Rules for calls that are never run. Beats `ask` and `allow`. */
  deny?: readonly RuleOption[];
  /** The most turns of one run of a member (default: 200). */
  maxTurns?: number;
  /** What each teammate may spend, beside the team's `budget`. */
  memberBudget?: BudgetLimits;
  /** How many teammates may be alive at once (default: 32). */
  maxTeammates?: number;
  /** Whether idle teammates claim open tasks on their own (default: true). */
  autoclaim?: boolean;
  /** How the work of members with checkouts gets to their target. */
  landing?: LandingOptions | undefined;
  /** How long a teammate has to answer a shutdown request, in milliseconds (default: 30,000). */
  shutdownGraceMs?: number;
  /** Who decides plans (default: `lead`). */
  planApproval?: "lead" | "user";
  /**
   * Called with every request to the person, which waits for the answer: a call that needs approval,
   * and with `planApproval: "user"` a plan. Requests that are open at the start are given again.
   */
  onRequest?: OnRequest;
  /** What happens to requests to the person that `onRequest` does not answer (default: `deny`). */
  approvals?: ApprovalPolicy;
}

/** How the work of members with checkouts gets to the branch that it is to land on. */
export interface LandingOptions {
  /** What happens to it when a run ends (default: `auto` with a `check`, otherwise `never`). */
  mode?: LandingMode | undefined;
  /** The command that has to pass before work lands, run on the tree that is to land (default: nothing is checked). */
  check?: string | undefined;
  /** How long it may run, in milliseconds (default: 600,000). */
  checkTimeoutMs?: number | undefined;
}

/** A rule, such as `bash(npm test:*)`; with its `origin` where `Team.rules` is to show it. */
export type RuleOption = string | { rule: string; origin: string };

/**
 * - `deny`: nobody is there. A call is denied at once, and its member is told why and how it can be
 *   allowed. A plan stays undecided, and does not keep the team from being quiet.
 * - `wait`: it waits for an answer, by `Team.answer`, on the dashboard or from another shell.
 * - `timeoutMs`: it waits so long, and is denied then.
 * - `unattended`: as `deny`, with a reason that the function makes of the rule that would allow such calls.
 */
export type ApprovalPolicy =
  | "deny"
  | "wait"
  | { timeoutMs: number }
  | { unattended: (suggestedRule: string | undefined) => string };

/** The options of a team that is about to be opened. */
export type OpenTeamOptions = Omit<TeamOptions, "approvals"> & EquipmentOptions;

export const defaults = {
  mode: "default",
  maxTurns: 200,
  maxTeammates: 32,
  autoclaim: true,
  shutdownGraceMs: 30_000,
  planApproval: "lead",
  checkTimeoutMs: 600_000,
  checkoutsKeepDays: 7,
} as const;

/** The options with everything filled in that this machine decides. */
export function onThisMachine(options: TeamOptions): OpenTeamOptions {
  const cwd = resolve(options.cwd);
  const { onWarning } = options;
  const ownPlace = { directory: join(cwd, ".team"), ...(onWarning && { onWarning }) };
  return {
    ...options,
    cwd,
    approvals: approvalOptions(options.approvals ?? "deny"),
    place: options.place ?? systemPlace(ownPlace),
    env: options.env ?? systemEnvironment(),
  };
}

function approvalOptions(policy: ApprovalPolicy): ApprovalOptions {
  if (policy === "wait") return {};
  return policy === "deny" ? { unattended: nobodyAnswers } : policy;
}

function nobodyAnswers(rule: string | undefined): string {
  const remedy = rule ? `allow: [${JSON.stringify(rule)}]` : "allow or mode";
  return `nobody answers requests in this program; its options can permit the call (${remedy}) or answer it (onRequest)`;
}

/** The settings of the lead that only the options decide. They are checked before anything is opened. */
export function leadSettings(
  options: OpenTeamOptions,
): Omit<LeadSettings, "model" | "effort" | "mode"> {
  const { cwd, maxTurns = defaults.maxTurns, memberBudget, thinkingBudget } = options;
  checkOwnTools(options.tools ?? []);
  const { instructions, memberTools } = options;
  requireToolNames(options);
  const rules = rulesOf(options);
  for (const warning of unknownToolsIn(rules, options)) options.place.onWarning(warning);
  return {
    ...{ root: cwd, cwd, thinkingBudget, rules, maxTurns },
    ...{ memberBudget, instructions, memberTools, sandbox: options.sandbox?.mode },
  };
}

/** The tools for work, built-in and own; of an MCP server, its name stands for all that it has. */
export function toolNamesOf({ tools = [], mcp }: Pick<TeamOptions, "tools" | "mcp">): string[] {
  const servers = Object.keys(mcp?.servers ?? {}).map((name) => `mcp__${name}`);
  return [...workToolNames, ...tools.map(({ spec }) => spec.name), ...servers];
}

function requireToolNames(options: Pick<TeamOptions, "tools" | "mcp" | "memberTools">): void {
  const names = toolNamesOf(options);
  const { lead = [], teammates = [] } = options.memberTools ?? {};
  const unknown = [...lead, ...teammates].find((name) => !isToolAmong(names, name));
  if (unknown === undefined) return;
  throw new TeamError("config-invalid", `memberTools: there is no tool named '${unknown}'`, {
    hint: `Tools to choose from: ${names.join(", ")}. Those for mail and tasks every member has.`,
  });
}

/**
 * Says which rules are for tools that there are not. They are no errors: a person's settings may be
 * for programs that add such tools.
 */
function unknownToolsIn(
  rules: readonly Rule[],
  { tools = [] }: Pick<TeamOptions, "tools">,
): string[] {
  const names = [...builtInToolNames, ...tools.map(({ spec }) => spec.name)];
  return rules.flatMap(({ decision, scope, text }) => {
    if (typeof scope === "string" || names.includes(scope.tool)) return [];
    if (isMcpToolName(scope.tool)) return [];
    const meant = nearest(scope.tool, names);
    const advice = meant === undefined ? "" : ` Did you mean ${meant}?`;
    return `The ${decision} rule "${text}" has no effect: there is no tool of this name.${advice}`;
  });
}

/** The person's rules, each with its origin where that was given. */
function rulesOf(options: Pick<TeamOptions, "tools" | "sandbox" | Rule["decision"]>): Rule[] {
  const own = (options.tools ?? []).map(({ spec }) => spec.name);
  const rules = (["allow", "ask", "deny"] as const).flatMap((decision) =>
    (options[decision] ?? []).map((given) =>
      typeof given === "string"
        ? parseRule(decision, given)
        : { ...parseRule(decision, given.rule), origin: given.origin },
    ),
  );
  for (const rule of rules) requireKnownTool(rule, own);
  return [...rules, ...fetchRules(options.sandbox?.network)];
}

/** What commands may reach, members may read. */
function fetchRules(network: SandboxNetwork = "off"): Rule[] {
  if (network === "off" || network === "open") return [];
  return network.map((entry) => ({
    ...parseRule("allow", `web_fetch(${entry})`),
    origin: "sandbox.network",
  }));
}
