import type { Clock } from "../lib/clock.ts";
import type { ProcessTable } from "../lib/process-identity.ts";

/** Where a team lies and what it runs on. */
export interface TeamPlace {
  /** The team directory, such as `.team` in a workspace. */
  directory: string;
  /** What decides where the team's key lies. */
  keyPlace: { keyFile: string | undefined; stateHome: string | undefined; home: string };
  clock: Clock;
  processes: ProcessTable;
  /** Told what a person should know and nothing else reports. */
  onWarning(message: string): void;
}
