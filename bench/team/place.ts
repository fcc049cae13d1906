import { homedir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import type { TeamPlace } from "../../src/team/team-place.ts";

/** A team directory and a key's place of its own below `directory`. */
export function placeBelow(directory: string): TeamPlace {
  return {
    directory: join(directory, ".team"),
    keyPlace: { keyFile: undefined, stateHome: join(directory, "state"), home: homedir() },
    clock: systemClock,
    processes: systemProcesses,
    onWarning: console.error,
  };
}
