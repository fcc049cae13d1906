import { join } from "node:path";
import { TeamError } from "../errors.ts";
import { readTextIfExists } from "../lib/files.ts";
import { chosenByKey, defaultModelId, modelByKey, noModel } from "../model/default-model.ts";
import { resolveModel } from "../model/resolve-model.ts";
import type { TeamPermissions } from "../protocol/team.ts";
import { rosterFile } from "../roster/team-file.ts";
import type { LeadSettings } from "./members/member-definition.ts";
import { permissionsOf } from "./members/signed-permissions.ts";
import { defaults, type leadSettings, type OpenTeamOptions } from "./team-options.ts";
import type { TeamStore } from "./team-store.ts";

/** The model that a start would use, as far as it is known before the team is opened. */
export interface ModelAtStart {
  /** Undefined if there is none: then the team must have one that was set while it ran. */
  model: string | undefined;
  /** Why there is none. */
  problem?: TeamError;
  /** What the person is told if it is used. */
  note?: string;
}

/**
 * The stated model, or the one that is used where none is stated. Throws where there is none, before anything is opened,
 * unless an earlier process may have left one that was set.
 */
export async function modelAtStart(options: OpenTeamOptions): Promise<ModelAtStart> {
  const { model, defaultModel, env } = options;
  if (model !== undefined) return { model: await resolved(model, options) };
  const named = defaultModel ?? defaultModelId(env);
  const byKey = options.openModel ? undefined : modelByKey(env);
  try {
    if (named !== undefined) return { model: await resolved(named, options) };
    if (byKey) return { model: byKey.id, note: chosenByKey(byKey) };
    throw noModel(env);
  } catch (error) {
    if (!(error instanceof TeamError) || !(await mayBeContinued(options))) throw error;
    return { model: undefined, problem: error };
  }
}

/** The lead's settings, with what the person has set in an earlier process where nothing else is stated. */
export async function withKept(
  stated: ReturnType<typeof leadSettings>,
  { options, start, store }: { options: OpenTeamOptions; start: ModelAtStart; store: TeamStore },
): Promise<LeadSettings> {
  const kept = permissionsOf(await store.roster.read(), store.signature);
  return {
    ...stated,
    mode: options.mode ?? kept.mode ?? defaults.mode,
    model: await chosenModel(options, start, kept),
    effort: options.effort ?? chosenEffort(options, kept),
  };
}

type Kept = Pick<TeamPermissions, "model" | "effort">;

async function chosenModel(
  options: OpenTeamOptions,
  { model, problem, note }: ModelAtStart,
  kept: Kept,
): Promise<string> {
  if (options.model === undefined && kept.model !== undefined)
    return keptModel(kept.model, options);
  if (model === undefined) throw problem ?? noModel(options.env);
  if (note !== undefined) options.place.onWarning(note);
  return model;
}

/** What was set is used, or nothing: another model would be a silent change. */
async function keptModel(model: string, options: OpenTeamOptions): Promise<string> {
  try {
    return await resolved(model, options);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    const hint = `It was set while the team ran. ${error.hint ?? ""} Or state another model at the start (--model).`;
    throw new TeamError(error.code, error.message, { cause: error, hint });
  }
}

function chosenEffort({ defaultEffort }: OpenTeamOptions, { effort }: Kept) {
  return effort === "default" ? undefined : (effort ?? defaultEffort);
}

async function resolved(model: string, options: OpenTeamOptions): Promise<string> {
  return options.openModel ? model : resolveModel(model, options);
}

async function mayBeContinued({ fresh, store, place }: OpenTeamOptions): Promise<boolean> {
  if (fresh) return false;
  if (store) return true;
  return (await readTextIfExists(join(place.directory, rosterFile))) !== undefined;
}
