import { join } from "node:path";
import { TeamError } from "../../errors.ts";
import type { OwnFacts, OwnModels } from "../../model/model-facts.ts";
import type { ProviderDefinitions } from "../../model/provider-definitions.ts";
import type { ProviderConfiguration } from "../../model/provider-settings.ts";
import type { ProcessInfo } from "../command.ts";
import { answerOn, type ConsentAnswer } from "./consent.ts";
import { type Loosening, loosenings, withoutLoosenings } from "./loosening.ts";
import { type StatedSettings, withDefaults } from "./settings.ts";
import { readSettingsFile, type SettingsFile } from "./settings-file.ts";
import { userSettingsPath } from "./standard-places.ts";

/** The settings files of a workspace. */
export interface Configuration {
  readonly userFile: SettingsFile | undefined;
  /** `troupe.json`, which comes with the repository and is not trusted. */
  readonly workspaceFile: SettingsFile | undefined;
  /** The settings of `troupe.json` that need consent, whether given or not. */
  readonly loosenings: readonly Loosening[];
  /** The person's answer about the current `troupe.json`. */
  readonly answer: ConsentAnswer | undefined;
}

export async function readConfiguration(
  workspace: string,
  processInfo: ProcessInfo,
): Promise<Configuration> {
  const userFile = await readSettingsFile(userSettingsPath(processInfo));
  const workspaceFile = await readSettingsFile(workspaceSettingsPath(workspace));
  return {
    userFile,
    workspaceFile,
    loosenings: workspaceFile
      ? loosenings(workspaceFile.stated, withDefaults(userFile?.stated ?? {}))
      : [],
    answer: workspaceFile && (await answerOn(workspaceFile, processInfo)),
  };
}

export function workspaceSettingsPath(workspace: string): string {
  return join(workspace, "troupe.json");
}

/** The settings of `troupe.json` that apply. */
export function workspaceSettings(configuration: Configuration): StatedSettings {
  const { workspaceFile, loosenings, answer } = configuration;
  if (!workspaceFile) return {};
  const { stated } = workspaceFile;
  return answer === "trusted" ? stated : withoutLoosenings(stated, loosenings);
}

export function modelsIn(configuration: Configuration): OwnModels {
  const { userFile } = configuration;
  return { ...userFile?.stated.models, ...workspaceSettings(configuration).models };
}

export function providersIn(configuration: Configuration): ProviderDefinitions {
  const { userFile } = configuration;
  return { ...userFile?.stated.providers, ...workspaceSettings(configuration).providers };
}

/**
 * Both for a command that only shows a team. A repository's file that is wrong does not stop it; the
 * person's own does, because it may name a key that is to be masked.
 */
export async function ownFactsFor(
  workspace: string,
  processInfo: ProcessInfo,
): Promise<ProviderConfiguration & OwnFacts> {
  const { env } = processInfo;
  const userFile = await readSettingsFile(userSettingsPath(processInfo));
  try {
    const configuration = await readConfiguration(workspace, processInfo);
    return { env, providers: providersIn(configuration), models: modelsIn(configuration) };
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return { env, providers: userFile?.stated.providers, models: userFile?.stated.models };
  }
}
