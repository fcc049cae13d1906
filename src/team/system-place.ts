import { homedir } from "node:os";
import { systemClock } from "../lib/clock.ts";
import { systemProcesses } from "../lib/process-identity.ts";
import type { EnvironmentVariables } from "../model/provider-settings.ts";
import type { Machine, TeamPlace } from "./team-place.ts";

/**
 * A team directory on this machine, with this machine's clock and this user's keys. Warnings for the person are ignored
 * without `onWarning`.
 */
export function systemPlace({
  directory,
  ...options
}: Pick<TeamPlace, "directory"> & Partial<Pick<Machine, "onWarning">>): TeamPlace {
  return { directory, ...systemMachine(options) };
}

/** This machine and its user. */
export function systemMachine({
  onWarning = () => undefined,
}: Partial<Pick<Machine, "onWarning">> = {}): Machine {
  const { TROUPE_KEY_FILE: keyFile, XDG_STATE_HOME: stateHome } = process.env;
  return {
    onWarning,
    keyPlace: { keyFile, stateHome, home: homedir() },
    clock: systemClock,
    processes: systemProcesses,
  };
}

/** The environment of this process, which has the providers and their keys. */
export function systemEnvironment(): EnvironmentVariables {
  return process.env;
}
