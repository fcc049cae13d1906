import type { Clock } from "../lib/clock.ts";
import type { ProcessTable } from "../lib/process-identity.ts";

/** What a team and its dashboard take from a machine and its user. */
export interface Machine {
  /** Decides where the keys of teams are, and the records of dashboards. */
  keyPlace: { keyFile: string | undefined; stateHome: string | undefined; home: string };
  /** The time, and timers. */
  clock: Clock;
  /** Tells whether the process that holds a team is still alive. */
  processes: ProcessTable;
  /** Called with warnings for the person that nothing else reports. */
  onWarning(message: string): void;
}

/** The directory of a team, and the machine that it is on. */
export interface TeamPlace extends Machine {
  /** The team directory, such as `.team` in a workspace. */
  directory: string;
}
