import { isAbsolute, join } from "node:path";
import { skillDirectories } from "../../skills/skill-directories.ts";
import type { GuidanceOptions } from "../../team/member-guidance.ts";
import type { ProcessInfo } from "../command.ts";

/** The directory of the user's own settings, and of what members are shown in every workspace. */
function userDirectory(processInfo: ProcessInfo): string {
  return join(standardHome(processInfo, "XDG_CONFIG_HOME", ".config"), "troupe");
}

/** The path of the user's own settings file. */
export function userSettingsPath(processInfo: ProcessInfo): string {
  return join(userDirectory(processInfo), "config.json");
}

/** Where the user's own guidance for members is. */
export function userGuidance(processInfo: ProcessInfo): GuidanceOptions {
  return {
    instructions: join(userDirectory(processInfo), "AGENTS.md"),
    skills: skillDirectories.map((name) => join(processInfo.home, name)),
    commands: [
      join(userDirectory(processInfo), "commands"),
      join(processInfo.home, ".claude", "commands"),
    ],
  };
}

/** Where the user's own roles are, in the order in which they count. */
export function userRoleDirectories(processInfo: ProcessInfo): string[] {
  return [join(userDirectory(processInfo), "agents"), join(processInfo.home, ".claude", "agents")];
}

/** The directory of troupe's own state for this user. */
export function stateDirectory(processInfo: ProcessInfo): string {
  return join(standardHome(processInfo, "XDG_STATE_HOME", ".local/state"), "troupe");
}

/** By the XDG specification, only absolute paths are valid. */
function standardHome({ env, home }: ProcessInfo, name: string, standard: string): string {
  const given = env[name];
  return given && isAbsolute(given) ? given : join(home, standard);
}
