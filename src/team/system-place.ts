import { homedir } from "node:os";
import { systemClock } from "../lib/clock.ts";
import { systemProcesses } from "../lib/process-identity.ts";
import type { EnvironmentVariables } from "../model/provider-settings.ts";
import type { TeamPlace } from "./team-place.ts";

/**
 * A team directory on this machine, with this machine's clock and this user's keys. Warnings for the person are ignored
 * without `onWarning`.
 */
export function systemPlace({
  directory,
  onWarning = () => undefined,
}: Pick<TeamPlace, "directory"> & Partial<Pick<TeamPlace, "onWarning">>): TeamPlace {
  const { TROUPE_KEY_FILE: keyFile, XDG_STATE_HOME: stateHome } = process.env;
  return {
    ...{ directory, onWarning },
    keyPlace: { keyFile, stateHome, home: homedir() },
    clock: systemClock,
    processes: systemProcesses,
  };
}

/** The environment of this process, which has the providers and their keys. */
export function systemEnvironment(): EnvironmentVariables {
  return process.env;
}
