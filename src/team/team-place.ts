import type { Clock } from "../lib/clock.ts";
import type { ProcessTable } from "../lib/process-identity.ts";

/** The directory of a team, and the clock and processes of its machine. */
export interface TeamPlace {
  /** The team directory, such as `.team` in a workspace. */
  directory: string;
  /** Decides the path of the team's key. */
  keyPlace: { keyFile: string | undefined; stateHome: string | undefined; home: string };
  /** The time, and timers. */
  clock: Clock;
  /** Tells whether the process that holds a team is still alive. */
  processes: ProcessTable;
  /** Called with warnings for the person that nothing else reports. */
  onWarning(message: string): void;
}
