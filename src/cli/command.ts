import type { TeamObserver } from "../team/team-observer.ts";

/** The outside world as a command sees it. Commands never touch `process` or `console`. */
export interface Io {
  /** A line of the result, for standard output. */
  out(line: string): void;
  /** The team in `--team-dir`, or in `.team` here. */
  observeTeam(teamDir: string | undefined): Promise<TeamObserver>;
}

/** Resolves to the process exit code. Throws `TeamError` for what main prints as "error: …". */
export interface Command {
  name: string;
  summary: string;
  usage: string;
  run(argv: string[], io: Io): Promise<number>;
}
