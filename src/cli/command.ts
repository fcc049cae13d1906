import type { Environment, ProviderConfiguration } from "../model/provider-settings.ts";
import type { Dashboard, Entrance } from "../server/dashboard.ts";
import type { RunSource } from "../server/export/export-run.ts";
import type { Team } from "../team/team.ts";
import type { TeamOptions } from "../team/team-options.ts";
import type { TeamView } from "../team/view/team-view.ts";

/** The outside world as a command sees it. Commands never touch `process` or `console`. */
export interface Io {
  /** A line of the result, for standard output. */
  out(line: string): void;
  /** A line about what goes on, for standard error. */
  err(line: string): void;
  /** Aborted when the person wants the program to end. */
  readonly signal: AbortSignal;
  /**
   * The team in `--team-dir`, or in `.team` here. `onWarning` gets what is wrong with its files;
   * the person, unless said.
   */
  viewTeam(teamDir: string | undefined, onWarning?: (message: string) => void): Promise<TeamView>;
  /** That team, for this process to run. */
  openTeam(settings: TeamSettings): Promise<Team>;
  readonly dashboards: Dashboards;
  /** Calls `run` after so long, unless the returned function is called before. */
  schedule(delayMs: number, run: () => void): () => void;
  /** Where and by whom the program was started. */
  readonly processInfo: ProcessInfo;
  readonly terminal: Terminal;
}

export interface ProcessInfo {
  readonly cwd: string;
  readonly home: string;
  readonly env: Environment;
}

interface TerminalInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean;
  /** Has every key come at once and as it is, where it is a terminal. */
  setRawMode(isRaw: boolean): unknown;
}

export interface TerminalOutput {
  readonly columns: number;
  readonly rows: number;
  /** True while it has not taken what it was given. */
  readonly writableNeedDrain: boolean;
  write(text: string): unknown;
  on(event: "resize" | "drain", listener: () => void): unknown;
  off(event: "resize" | "drain", listener: () => void): unknown;
}

/** Where a person types and reads. */
export interface Terminal {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  /** True when a person sits at both ends of it, and it can do more than lines. */
  readonly isInteractive: boolean;
  readonly hasColors: boolean;
  /** Calls `run` when the process ends, however it does, unless the returned function is called before. */
  atExit(run: () => void): () => void;
}

/** What a person may say about a run. What is undefined has a default. */
interface TeamSettings
  extends Pick<
    TeamOptions,
    | "model"
    | "env"
    | "providers"
    | "mode"
    | "allow"
    | "ask"
    | "deny"
    | "maxTurns"
    | "maxTeammates"
    | "autoclaim"
    | "budget"
    | "recordTo"
    | "fresh"
    | "takeOver"
    | "planApproval"
    | "shutdownGraceMs"
  > {
  /** Whether a question to the person is denied at once, because nobody is there. */
  denies: boolean;
  /** Told what a person should know; standard error, unless said. */
  onWarning?(message: string): void;
  cwd: string | undefined;
  teamDir: string | undefined;
}

/** The pages in the browser that show teams. */
export interface Dashboards {
  /** Serves the dashboard of a team, which need not exist yet, from this process. */
  serve(settings: DashboardSettings): Promise<Dashboard>;
  /** The dashboard of a team that a process serves already; on this port, where it is said. */
  find(settings: Pick<DashboardSettings, "teamDir" | "port">): Promise<Entrance | undefined>;
  /** Everything that the dashboard of a team would show. */
  record(settings: Pick<DashboardSettings, "teamDir">): Promise<DashboardRecording>;
}

interface DashboardRecording {
  readonly room: RunSource & AsyncDisposable;
  /** Where the page lies that shows it. */
  readonly pageDirectory: string;
}

/** The keys of the providers are secrets that no page may show. */
interface DashboardSettings extends ProviderConfiguration {
  teamDir: string;
  /** The port that is wanted; default: any that is free. */
  port: number | undefined;
  onWarning(message: string): void;
}

/** What a command was given, behind its name. */
export interface Arguments {
  /** As many as the command's parameters allow. */
  positionals: string[];
  json: boolean;
  /** Whether the person wants to know all about what goes on, and what goes wrong. */
  debug: boolean;
  teamDir: string | undefined;
  /** Everything that was said with an option, by the option's name, for the command to parse. */
  values: Readonly<Record<string, unknown>>;
}

/** What a command takes as `--name`. Without `takes` it is a switch; with it a text follows. */
export interface Option {
  /** One letter that stands for the name, as in `-f`. */
  short?: string;
  takes?: string;
  /** All that may follow, where that is little. */
  choices?: readonly string[];
  isRepeatable?: boolean;
  summary: string;
}

export const teamDirOption: Option = {
  takes: "<directory>",
  summary: "the team's directory (default: .team)",
};

/** What every command takes that only looks. */
export const lookOptions: Readonly<Record<string, Option>> = {
  json: { summary: "print JSON" },
  "team-dir": teamDirOption,
};

/** What a command is for. `troupe --help` shows the commands in this order. */
export const commandGroups = ["talk", "run", "look", "act", "set up"] as const;
export type CommandGroup = (typeof commandGroups)[number];

/** A call to copy, and what comes of it. */
interface Example {
  call: string;
  does: string;
}

/** Resolves to the process exit code. Throws `TeamError` for what the program tells as "error: …". */
export interface Command {
  name: string;
  group: CommandGroup;
  summary: string;
  /** What it takes, as its usage shows it: `<name>`, or `[<name>]` for what may be left out. */
  parameters: readonly string[];
  options: Readonly<Record<string, Option>>;
  examples?: readonly Example[];
  /** What else a person has to know, a line each. */
  notes?: readonly string[];
  run(given: Arguments, io: Io): Promise<number>;
}
