import type { TeamObserver } from "../team/team-observer.ts";

/** The outside world as a command sees it. Commands never touch `process` or `console`. */
export interface Io {
  /** A line of the result, for standard output. */
  out(line: string): void;
  /** The team in `--team-dir`, or in `.team` here. */
  observeTeam(teamDir: string | undefined): Promise<TeamObserver>;
}

/** What a command was given, behind its name. */
export interface Arguments {
  /** As many as the command's parameters allow. */
  positionals: string[];
  json: boolean;
  teamDir: string | undefined;
}

/** Resolves to the process exit code. Throws `TeamError` for what the program tells as "error: …". */
export interface Command {
  name: string;
  summary: string;
  /** What it takes, as its usage shows it: `<name>`, or `[<name>]` for what may be left out. */
  parameters: readonly string[];
  run(given: Arguments, io: Io): Promise<number>;
}
