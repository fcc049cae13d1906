import type { Environment } from "../model/provider-settings.ts";
import type { Team } from "../team/team.ts";
import type { TeamObserver } from "../team/team-observer.ts";
import type { TeamOptions } from "../team/team-options.ts";

/** The outside world as a command sees it. Commands never touch `process` or `console`. */
export interface Io {
  /** A line of the result, for standard output. */
  out(line: string): void;
  /** A line about what goes on, for standard error. */
  err(line: string): void;
  /** Aborted when the person wants the program to end. */
  readonly signal: AbortSignal;
  /** The team in `--team-dir`, or in `.team` here. */
  observeTeam(teamDir: string | undefined): Promise<TeamObserver>;
  /** That team, for this process to run. */
  openTeam(settings: TeamSettings): Promise<Team>;
  /** Calls `run` after so long, unless the returned function is called before. */
  schedule(delayMs: number, run: () => void): () => void;
  /** Where and by whom the program was started. */
  readonly surroundings: Surroundings;
  readonly terminal: Terminal;
}

export interface Surroundings {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
}

/** Where a person types and reads. */
export interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** True when a person sits at both ends of it, and it can do more than lines. */
  readonly isInteractive: boolean;
  readonly hasColors: boolean;
}

/** What a person may say about a run. What is undefined has a default. */
interface TeamSettings
  extends Pick<
    TeamOptions,
    | "model"
    | "mode"
    | "allow"
    | "ask"
    | "deny"
    | "maxTurns"
    | "budget"
    | "recordTo"
    | "fresh"
    | "planApproval"
    | "shutdownGraceMs"
  > {
  /** Whether a question to the person is denied at once, because nobody is there. */
  denies: boolean;
  cwd: string | undefined;
  teamDir: string | undefined;
}

/** What a command was given, behind its name. */
export interface Arguments {
  /** As many as the command's parameters allow. */
  positionals: string[];
  json: boolean;
  teamDir: string | undefined;
  /** Everything that was said with an option, by the option's name, for the command to parse. */
  values: Readonly<Record<string, unknown>>;
}

/** What a command takes as `--name`. Without `takes` it is a switch; with it a text follows. */
export interface Option {
  takes?: string;
  isRepeatable?: boolean;
  summary: string;
}

export const teamDirOption: Option = {
  takes: "<directory>",
  summary: "the team's directory; .team here unless said",
};

/** What every command takes that only looks. */
export const lookOptions: Readonly<Record<string, Option>> = {
  json: { summary: "as JSON" },
  "team-dir": teamDirOption,
};

/** Resolves to the process exit code. Throws `TeamError` for what the program tells as "error: …". */
export interface Command {
  name: string;
  summary: string;
  /** What it takes, as its usage shows it: `<name>`, or `[<name>]` for what may be left out. */
  parameters: readonly string[];
  options: Readonly<Record<string, Option>>;
  run(given: Arguments, io: Io): Promise<number>;
}
