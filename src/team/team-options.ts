import { join } from "node:path";
import type { BudgetLimits } from "../agent/budget.ts";
import { TeamError } from "../errors.ts";
import { checkModel } from "../model/models.ts";
import { defaultModelId, type Environment } from "../model/provider-settings.ts";
import { parseRule } from "../permissions/rule.ts";
import type { PermissionMode } from "../protocol/message.ts";
import type { EquipmentOptions } from "./equipment.ts";
import type { LeadSettings } from "./members/member-definition.ts";
import { systemEnvironment, systemPlace } from "./system-place.ts";
import type { TeamPlace } from "./team-place.ts";

export interface TeamOptions extends Omit<EquipmentOptions, "place" | "env"> {
  /** The workspace. */
  cwd: string;
  /** Where the team lies and what it runs on: `.team` in the workspace, on this machine, unless said. */
  place?: TeamPlace;
  /** Where providers and their keys are: what this process was started with, unless said. */
  env?: Environment;
  /** Told what a person should know and nothing else reports, where `place` is not said. */
  onWarning?(message: string): void;
  /** Of the lead, and of teammates unless they have another; what the environment names unless said. */
  model?: string | undefined;
  mode?: PermissionMode;
  /** Permission rules as a person writes them. */
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /** Turns of one run. */
  maxTurns?: number;
  /** Of each teammate. */
  memberBudget?: BudgetLimits;
  /** How many teammates may be alive at once. */
  maxTeammates?: number;
  /** Whether idle teammates claim open tasks on their own. */
  autoclaim?: boolean;
  /** How long a teammate has to answer a shutdown request. */
  shutdownGraceMs?: number;
  /** Who decides plans. */
  planApproval?: "lead" | "user";
}

export const defaults = {
  mode: "default",
  maxTurns: 200,
  maxTeammates: 32,
  autoclaim: true,
  shutdownGraceMs: 30_000,
  planApproval: "lead",
} as const;

/** The options with everything filled in that this machine decides. */
export function onThisMachine(options: TeamOptions): TeamOptions & EquipmentOptions {
  const { cwd, onWarning = () => undefined } = options;
  return {
    ...options,
    place: options.place ?? systemPlace({ directory: join(cwd, ".team"), onWarning }),
    env: options.env ?? systemEnvironment(),
  };
}

/** What the lead is, with everything checked that a person can get wrong, before anything is opened. */
export function leadSettings(options: TeamOptions & EquipmentOptions): LeadSettings {
  const { env, cwd, mode = defaults.mode, maxTurns = defaults.maxTurns, memberBudget } = options;
  const model = options.model ?? defaultModelId(env);
  if (!model) {
    throw new TeamError("model-missing", "No model is chosen", {
      hint: "Choose one with --model or TROUPE_MODEL, such as anthropic/<model>, and set its provider's key.",
    });
  }
  if (!options.openModel) checkModel(model, options);
  const rules = (["allow", "ask", "deny"] as const).flatMap((decision) =>
    (options[decision] ?? []).map((text) => parseRule(decision, text)),
  );
  return { root: cwd, cwd, model, mode, rules, maxTurns, memberBudget };
}
