import { TeamError } from "../../errors.ts";
import { defaultModelId, modelByKey } from "../../model/default-model.ts";
import { narrowerMode } from "../../permissions/modes.ts";
import { isWeakerSandbox } from "../../protocol/sandbox-mode.ts";
import { requireTools } from "../members/spawning.ts";
import { type OpenTeamOptions, toolNamesOf } from "../team-options.ts";
import { type RoleTerms, requireForLead } from "./role-terms.ts";
import { TeamRoles } from "./team-roles.ts";

/** The options of a team whose lead has a role, and that role. Throws `config-invalid` where it cannot have it. */
export async function withLeadRole(
  options: OpenTeamOptions,
): Promise<{ options: OpenTeamOptions; leadRole: RoleTerms | undefined }> {
  if (options.agent === undefined) return { options, leadRole: undefined };
  const leadRole = await ofLead(termsFor(options.agent, options));
  const { asks, notes } = leadRole;
  for (const note of notes) options.place.onWarning(note);
  const { model = asks.model, effort = asks.effort, mode } = options;
  // What the person states is at least as strict as they say, and so is the role.
  const stated = mode && asks.mode ? narrowerMode(mode, asks.mode) : (mode ?? asks.mode);
  return { options: { ...options, model, effort, mode: stated }, leadRole };
}

/** What would refuse a spawn is wrong in the configuration, where it is about the lead. */
export async function ofLead<Result>(checking: Promise<Result>): Promise<Result> {
  return checking.catch((error: unknown) => {
    if (!(error instanceof TeamError) || error.code !== "spawn-refused") throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    throw new TeamError("config-invalid", error.message, { cause: error, ...hint });
  });
}

async function termsFor(name: string, options: OpenTeamOptions): Promise<RoleTerms> {
  const { env, model, defaultModel, roles, modelAliases: aliases } = options;
  const toolNames = options.memberTools?.lead ?? toolNamesOf(options);
  const leadsModel = model ?? defaultModel ?? defaultModelId(env) ?? modelByKey(env)?.id;
  const terms = await new TeamRoles({ roles, aliases }).termsOf(name, { toolNames, leadsModel });
  requireForLead(terms);
  requireTools(terms.asks.tools, toolNames);
  const { sandbox } = terms.asks;
  const usual = options.sandbox?.mode ?? "off";
  if (sandbox === undefined || !isWeakerSandbox(sandbox, usual)) return terms;
  throw new TeamError(
    "config-invalid",
    `The role '${terms.name}' asks for the sandbox '${sandbox}', which is weaker than '${usual}'`,
    {
      hint: "Remove its field sandbox, or choose another role.",
    },
  );
}
