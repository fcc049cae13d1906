/**
 * Starts the processes of one member: every command of its tools, in the foreground or not, and
 * every search. Nothing else in troupe starts a process for a member.
 *
 * Every runner promises, and src/testing/conformance/command-runner.ts checks, that:
 * - a command's standard input is empty, and its output and errors arrive in order, unless `io` says otherwise;
 * - when `ended` resolves, nothing of the command is running, daemons included;
 * - a command that could not be started has done nothing, and is reported as `problem`: nothing
 *   throws.
 */
export interface CommandRunner {
  /** Starts a line with `bash -c`, in the member's directory and with its environment. */
  start(request: CommandRequest): Promise<RunningCommand | CommandNotStarted>;

  /** Runs a program by its path, with an empty environment, and passes its output on unchanged. */
  runProgram(request: ProgramRequest): Promise<ProgramEnd>;
}

export interface CommandRequest {
  command: string;
  /** A name for the command, used in the name of the file for long output. */
  name: string;
  /** Undefined means no limit. */
  timeoutMs: number | undefined;
  /** Ends the command, and all it has started. */
  signal: AbortSignal;
  /** Starts it outside the sandbox, if there is one: the person has allowed exactly this call. */
  isUnconfined?: boolean;
  /** In the sandbox, if there is one, it changes nothing and reaches nothing (default: false). */
  isReadOnly?: boolean;
  /**
   * The same, with only the workspace and programs to read and an environment that says nothing of the person. Without a
   * sandbox it is not started (default: false).
   */
  isTrial?: boolean;
  /** What it reads, and how much of its output is kept (default: nothing; all of it, its errors among it). */
  io?: CommandIo;
  /** How many processes of it may run at once. With more it is ended (default: no limit). */
  maxProcesses?: number;
  /** Called with output as it arrives, masked and bounded. */
  onOutput(text: string): void;
}

/** For a command that is a program's own, and not a model's. */
export interface CommandIo {
  /** The text on its standard input. */
  readonly input: string;
  /** Its output and its errors are kept apart: the first characters of each, and nothing in a file. */
  readonly maxCharacters: number;
}

/** The command was not started. `problem` says why, and what to do about it. */
export interface CommandNotStarted {
  readonly type: "not-started";
  readonly problem: string;
}

export interface RunningCommand {
  readonly type: "running";
  readonly pid: number;
  /** Resolves when the shell has exited and nothing of the command is left. */
  readonly ended: Promise<CommandEnd>;
  /** The output so far, cut to the limit for a model. */
  output(): string;
}

/** How a command ended. */
export interface CommandEnd {
  readonly type: "ended";
  /** `unconfined`: its sandbox could not be started, so nothing of it ran. `crowded`: too many processes of it ran. */
  readonly ending: "exited" | "timeout" | "aborted" | "unconfined" | "crowded";
  readonly timeoutMs: number | undefined;
  /** The shell's exit code; null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** How many processes were still running when the shell had exited. */
  readonly leftovers: number;
  /** Files that the sandbox keeps as they are where they exist, and that are there only since the command ran. */
  readonly appeared: readonly string[];
  /** Hosts that the sandbox did not let the member's commands reach meanwhile. */
  readonly refusedHosts: readonly string[];
  readonly output: string;
  /** Its errors, where they are kept apart. */
  readonly errors?: string;
}

export interface ProgramRequest {
  path: string;
  arguments: readonly string[];
  cwd: string;
  signal: AbortSignal;
  /** Called with the output as it arrives; returns false when it needs no more. */
  onOutput(chunk: Buffer): boolean;
}

export type ProgramEnd =
  /** It has ended, or its output was enough. `errors` is the beginning of its standard error. */
  | { readonly type: "ended"; readonly errors: string }
  | { readonly type: "aborted" }
  | { readonly type: "not-started"; readonly problem: string };

/** Runs a command to its end. */
export async function runCommand(
  runner: CommandRunner,
  request: CommandRequest,
): Promise<CommandEnd | CommandNotStarted> {
  const command = await runner.start(request);
  return command.type === "running" ? command.ended : command;
}
