import { isAbsolute, join } from "node:path";
import type { ProcessInfo } from "../command.ts";

/** The user's own settings. */
export function userSettingsPath(processInfo: ProcessInfo): string {
  return join(standardHome(processInfo, "XDG_CONFIG_HOME", ".config"), "troupe", "config.json");
}

/** Where troupe keeps what it must remember of this user. */
export function stateDirectory(processInfo: ProcessInfo): string {
  return join(standardHome(processInfo, "XDG_STATE_HOME", ".local/state"), "troupe");
}

/** The XDG specification has only absolute paths count. */
function standardHome({ env, home }: ProcessInfo, name: string, standard: string): string {
  const given = env[name];
  return given && isAbsolute(given) ? given : join(home, standard);
}
