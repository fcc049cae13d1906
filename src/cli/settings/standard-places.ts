import { isAbsolute, join } from "node:path";
import type { Surroundings } from "../command.ts";

/** The user's own settings. */
export function userSettingsPath(surroundings: Surroundings): string {
  return join(standardHome(surroundings, "XDG_CONFIG_HOME", ".config"), "troupe", "config.json");
}

/** Where troupe keeps what it must remember of this user. */
export function stateDirectory(surroundings: Surroundings): string {
  return join(standardHome(surroundings, "XDG_STATE_HOME", ".local/state"), "troupe");
}

/** The XDG specification has only absolute paths count. */
function standardHome({ env, home }: Surroundings, name: string, standard: string): string {
  const given = env[name];
  return given && isAbsolute(given) ? given : join(home, standard);
}
