import { join } from "node:path";
import type { Surroundings } from "../command.ts";
import { answerOn, type ConsentAnswer } from "./consent.ts";
import { type Loosening, loosenings, withoutLoosenings } from "./loosening.ts";
import { type StatedSettings, withDefaults } from "./settings.ts";
import { readSettingsFile, type SettingsFile } from "./settings-file.ts";
import { userSettingsPath } from "./standard-places.ts";

/** The files of settings that count in a workspace. */
export interface Configuration {
  readonly userFile: SettingsFile | undefined;
  /** `troupe.json`, which comes with the repository and is not trusted. */
  readonly workspaceFile: SettingsFile | undefined;
  /** What of `troupe.json` needs consent, whether it has it or not. */
  readonly loosenings: readonly Loosening[];
  /** What the person said of `troupe.json` as it is. */
  readonly answer: ConsentAnswer | undefined;
}

export async function readConfiguration(
  workspace: string,
  surroundings: Surroundings,
): Promise<Configuration> {
  const userFile = await readSettingsFile(userSettingsPath(surroundings));
  const workspaceFile = await readSettingsFile(workspaceSettingsPath(workspace));
  return {
    userFile,
    workspaceFile,
    loosenings: workspaceFile
      ? loosenings(workspaceFile.stated, withDefaults(userFile?.stated ?? {}))
      : [],
    answer: workspaceFile && (await answerOn(workspaceFile, surroundings)),
  };
}

export function workspaceSettingsPath(workspace: string): string {
  return join(workspace, "troupe.json");
}

/** What `troupe.json` says, as far as it is in force. */
export function workspaceSettings(configuration: Configuration): StatedSettings {
  const { workspaceFile, loosenings, answer } = configuration;
  if (!workspaceFile) return {};
  const { stated } = workspaceFile;
  return answer === "trusted" ? stated : withoutLoosenings(stated, loosenings);
}
