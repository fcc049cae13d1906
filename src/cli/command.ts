import type { ClientStreams } from "../mcp-server/serve-streams.ts";
import type { OwnFacts } from "../model/model-facts.ts";
import type { EnvironmentVariables, ProviderConfiguration } from "../model/provider-settings.ts";
import type { ExportTeamOptions, TeamExport } from "../server/export-team.ts";
import type { DashboardEntrance, ServedDashboard } from "../server/serve-dashboard.ts";
import type { Team } from "../team/team.ts";
import type { TeamOptions } from "../team/team-options.ts";
import type { TeamView } from "../team/view/team-view.ts";
import type { JobControl } from "./job-control.ts";

/** The outside world as a command sees it. Commands never touch `process` or `console`. */
export interface Io {
  /** A line of the result, for standard output. */
  out(line: string): void;
  /** A line about progress or problems, for standard error. */
  err(line: string): void;
  /** Aborted when the person wants the program to end. */
  readonly signal: AbortSignal;
  /**
   * The team in `--team-dir`, or in `.team` of the current directory. `onWarning` gets problems
   * with its files (default: printed to standard error).
   */
  viewTeam(teamDir: string | undefined, onWarning?: (message: string) => void): Promise<TeamView>;
  /** Opens that team for this process to run. */
  openTeam(settings: TeamSettings): Promise<Team>;
  readonly dashboards: Dashboards;
  /** Calls `run` after the delay, unless the returned function is called first. */
  schedule(delayMs: number, run: () => void): () => void;
  readonly processInfo: ProcessInfo;
  readonly terminal: Terminal;
  /** True if standard input is a pipe of the shell, or a file. */
  isInputPiped(): boolean;
  /** Standard input and output, for a program at their other end. */
  readonly pipes: ClientStreams;
}

export interface ProcessInfo {
  readonly cwd: string;
  readonly home: string;
  readonly env: EnvironmentVariables;
}

interface TerminalInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  /** Makes a terminal pass on every key at once and unchanged. */
  setRawMode(isRaw: boolean): unknown;
}

export interface TerminalOutput {
  readonly columns: number;
  readonly rows: number;
  /** True while its buffer is full. */
  readonly writableNeedDrain: boolean;
  write(text: string): unknown;
  on(event: "resize" | "drain", listener: () => void): unknown;
  off(event: "resize" | "drain", listener: () => void): unknown;
}

export interface Terminal {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  /** True if a person is at both ends and it can do more than plain lines. */
  readonly isInteractive: boolean;
  readonly hasColors: boolean;
  /** Calls `run` at the end of the process, unless the returned function is called first. */
  atExit(run: () => void): () => void;
  readonly jobControl: JobControl;
  /** Whether the tmux around it passes sequences on to the terminal outside. */
  passesThroughTmux(): Promise<boolean>;
  /** Has the person edit a text in their own editor, and resolves to the result. */
  edit(text: string): Promise<string>;
}

/** The options of a run. An undefined one has a default. */
interface TeamSettings extends Omit<TeamOptions, "cwd" | "place" | "approvals"> {
  /** Whether requests to the person are denied at once, because the run is unattended. */
  denies: boolean;
  cwd: string | undefined;
  teamDir: string | undefined;
}

export interface Dashboards {
  /** Serves the dashboard of a team, which need not exist yet, from this process. */
  serve(settings: DashboardSettings): Promise<ServedDashboard>;
  /** Finds the dashboard of a team that a process already serves; on `port` only, if given. */
  find(
    settings: Pick<DashboardSettings, "teamDir" | "port">,
  ): Promise<DashboardEntrance | undefined>;
  /** Opens the page that has everything which the dashboard of a team would show. */
  export(settings: ExportSettings): Promise<TeamExport>;
}

interface ExportSettings extends ExportTeamOptions {
  teamDir: string;
}

/** The keys of the providers are secrets that no page may show. */
interface DashboardSettings extends ProviderConfiguration, Pick<OwnFacts, "models"> {
  teamDir: string;
  /** The wanted port (default: any free one). */
  port: number | undefined;
  onWarning(message: string): void;
}

/** The parsed arguments of a command. */
export interface Arguments {
  /** At most as many as the command has parameters, unless the last one has `…`. */
  positionals: string[];
  json: boolean;
  debug: boolean;
  teamDir: string | undefined;
  /** The values of all options, by name, for the command to parse. */
  values: Readonly<Record<string, unknown>>;
}

/** A `--name` option of a command: a switch, or with `takes` one that needs a value. */
export interface Option {
  /** A one-letter form, as in `-f`. */
  short?: string;
  takes?: string;
  /** All possible values, if they are few. */
  choices?: readonly string[];
  isRepeatable?: boolean;
  summary: string;
}

export const teamDirOption: Option = {
  takes: "<directory>",
  summary: "the team's directory (default: .team)",
};

/** The options of every command that only shows something. */
export const lookOptions: Readonly<Record<string, Option>> = {
  json: { summary: "print JSON" },
  "team-dir": teamDirOption,
};

/** The groups of commands, in the order of `troupe --help`. */
export const commandGroups = ["talk", "run", "look", "act", "set up"] as const;
export type CommandGroup = (typeof commandGroups)[number];

interface Example {
  call: string;
  does: string;
}

/**
 * A command of the shell. It resolves to the exit code, and throws a `TeamError` to end with
 * "error: …".
 */
export interface Command {
  name: string;
  group: CommandGroup;
  summary: string;
  /** The parameters as the usage shows them: `<name>`, or `[<name>]` if optional. A last one with `…` takes all that follow. */
  parameters: readonly string[];
  options: Readonly<Record<string, Option>>;
  examples?: readonly Example[];
  /** Further paragraphs of the help. */
  notes?: readonly string[];
  run(given: Arguments, io: Io): Promise<number>;
}
