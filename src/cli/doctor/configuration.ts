import { TeamError } from "../../errors.ts";
import { noModel } from "../../model/default-model.ts";
import { modelFacts } from "../../model/model-facts.ts";
import { modelIds } from "../../model/model-list.ts";
import { hasProvider } from "../../model/models.ts";
import type { EnvironmentVariables, ProviderConfiguration } from "../../model/provider-settings.ts";
import { resolveModel, toldAssumptions } from "../../model/resolve-model.ts";
import type { ProcessInfo } from "../command.ts";
import {
  type Configuration,
  modelsIn,
  readConfiguration,
  workspaceSettingsPath,
} from "../settings/configuration.ts";
import { layersBelowFlags } from "../settings/resolve-settings.ts";
import { userSettingsPath } from "../settings/standard-places.ts";
import type { Check, Finding } from "./check.ts";

/** The settings files, or the error in them. */
export type FoundConfiguration = Configuration | TeamError;

export async function findConfiguration(
  workspace: string,
  processInfo: ProcessInfo,
): Promise<FoundConfiguration> {
  try {
    return await readConfiguration(workspace, processInfo);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return error;
  }
}

export interface ChosenModel {
  id: string;
  origin: string;
}

/** The model that a start without flags would use. */
export function chosenModel(
  env: EnvironmentVariables,
  configuration: FoundConfiguration,
): ChosenModel | undefined {
  const files = configuration instanceof TeamError ? noFiles : configuration;
  for (const { stated, origin } of layersBelowFlags(env, files)) {
    if (stated.model !== undefined) return { id: stated.model, origin: origin("model") };
  }
  return undefined;
}

const noFiles: Configuration = {
  userFile: undefined,
  workspaceFile: undefined,
  loosenings: [],
  answer: undefined,
};

export interface ConfigurationChecksOptions extends ProviderConfiguration {
  workspace: string;
  processInfo: ProcessInfo;
  configuration: FoundConfiguration;
}

export function configurationChecks(options: ConfigurationChecksOptions): Check[] {
  const { env, configuration } = options;
  return [
    { name: "settings", look: async () => settingsFindings(options) },
    { name: "model", look: () => modelFindings(options, chosenModel(env, configuration)) },
  ];
}

function settingsFindings(options: ConfigurationChecksOptions): Finding[] {
  const { configuration, workspace, processInfo } = options;
  if (configuration instanceof TeamError) {
    const { message, hint = "" } = configuration;
    return [{ state: "problem", text: message, remedy: hint }];
  }
  const { userFile, workspaceFile } = configuration;
  const found = (path: string, isThere: boolean): Finding => ({
    state: "ok",
    text: isThere ? path : `${path}: none`,
  });
  return [
    found(userSettingsPath(processInfo), userFile !== undefined),
    found(workspaceSettingsPath(workspace), workspaceFile !== undefined),
    ...consentFindings(configuration),
  ];
}

function consentFindings({ workspaceFile, loosenings, answer }: Configuration): Finding[] {
  if (!workspaceFile || loosenings.length === 0 || answer === "trusted") return [];
  const names = loosenings.map(({ name }) => name).join(", ");
  return [
    {
      state: "note",
      text: `${workspaceFile.path} is not trusted, so these settings are ignored: ${names}`,
      remedy: "`troupe trust --show` shows them, `troupe trust` applies them.",
    },
  ];
}

async function modelFindings(
  { configuration, ...providers }: ConfigurationChecksOptions,
  model: ChosenModel | undefined,
): Promise<Finding[]> {
  if (!model) {
    return [
      {
        state: "problem",
        text: "none chosen",
        remedy: noModel(providers.env).hint ?? "",
      },
    ];
  }
  const text = `${model.id}, by ${model.origin}`;
  try {
    const findings: Finding[] = [{ state: "ok", text }];
    const models = configuration instanceof TeamError ? {} : modelsIn(configuration);
    for (const id of modelIds(await resolveModel(model.id, providers))) {
      const facts = await modelFacts(id, { models, providers: providers.providers });
      const assumed = hasProvider(id) ? await toldAssumptions(id, facts) : undefined;
      if (assumed) findings.push({ state: "note", text: assumed });
    }
    return findings;
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return [{ state: "problem", text: `${text}: ${error.message}`, remedy: error.hint ?? "" }];
  }
}
