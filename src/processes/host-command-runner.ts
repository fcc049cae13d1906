import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Socket } from "node:net";
import { hasErrno } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { orNothing } from "../lib/or-nothing.ts";
import type {
  CommandNotStarted,
  CommandRequest,
  CommandRunner,
  ProgramEnd,
  ProgramRequest,
} from "./command-runner.ts";
import { HostCommand } from "./host-command.ts";
import { runHostProgram } from "./host-program.ts";
import { type CommandOwner, markerName, newMarker } from "./marker.ts";
import type { OutputFiles } from "./output-files.ts";
import { closePipe, type Pipe, type Pipes, readerOf } from "./pipes.ts";
import { startOfProcess } from "./process-list.ts";
import type { Programs } from "./programs.ts";
import type { RunningCommands } from "./running-commands.ts";

export interface HostCommandRunnerOptions {
  cwd: string;
  /** Already without provider keys. */
  environment: Readonly<Record<string, string>>;
  clock: Clock;
  outputFiles: OutputFiles;
  pipes: Pipes;
  /** Finds the shell itself. */
  programs: Programs;
  /** Keeps every command from its start to its end. */
  running: RunningCommands;
  /** The owner of the commands, also for a later process: each command is marked with it. */
  owner: CommandOwner;
}

interface Launched {
  type: "launched";
  child: ChildProcess;
  pid: number;
  output: Socket;
}

/** Settings for commands without a person who turns pages, types a password or closes an editor. */
const unattended = {
  TERM: "dumb",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
};

/**
 * Runs commands on this machine: each in its own process group and session. Nothing carries over
 * from one to the next.
 */
export class HostCommandRunner implements CommandRunner {
  readonly #options: HostCommandRunnerOptions;

  constructor(options: HostCommandRunnerOptions) {
    this.#options = options;
  }

  runProgram(request: ProgramRequest): Promise<ProgramEnd> {
    return runHostProgram(request);
  }

  async start(request: CommandRequest): Promise<HostCommand | CommandNotStarted> {
    const { clock, outputFiles, running, owner } = this.#options;
    const { command, name, timeoutMs, signal, onOutput } = request;
    if (command.includes("\0")) return notStarted("A command cannot contain a NUL byte.");
    const marker = newMarker(owner);
    const launched = await this.#launch(request, marker);
    if (launched.type === "not-started") return launched;
    const { child, pid, output } = launched;
    // The shell leads its own process group, which has its pid.
    const tree = { group: pid, marker, start: startOfProcess(pid) };
    const capture = outputFiles.capture(name, onOutput);
    return new HostCommand({ child, tree, output, capture, clock, timeoutMs, signal, running });
  }

  async #launch(request: CommandRequest, marker: string): Promise<Launched | CommandNotStarted> {
    let pipe: Pipe | undefined;
    try {
      const program = await this.#options.programs.find("bash");
      pipe = await this.#options.pipes.take();
      if (request.signal.aborted) return interrupted(pipe);
      const child = this.#spawn(program, { command: request.command, marker, pipe });
      if (child.pid === undefined) throw await failureOf(child);
      const output = readerOf(pipe);
      closeSync(pipe.writer);
      return { type: "launched", child, pid: child.pid, output };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (pipe) closePipe(pipe);
      return notStarted(await this.#problemOf(error, request.command));
    }
  }

  #spawn(
    program: string,
    { command, marker, pipe }: { command: string; marker: string; pipe: Pipe },
  ): ChildProcess {
    const { cwd, environment } = this.#options;
    const marked = markedCommand({ program, command, environment, marker });
    return spawn(program, marked.argv, {
      argv0: "bash",
      cwd,
      env: { ...marked.environment, ...unattended },
      detached: true,
      stdio: ["ignore", pipe.writer, pipe.writer],
    });
  }

  async #problemOf(error: Error, command: string): Promise<string> {
    const { cwd } = this.#options;
    if (hasErrno(error, "E2BIG")) {
      return `The command has ${command.length} characters, more than the system takes. Put it into a file with write_file and run that with bash.`;
    }
    if (hasErrno(error, "EAGAIN", "EMFILE", "ENFILE", "ENOMEM")) {
      return `The system has no room for another process (${error.message}). End commands that run in the background, or wait and try again.`;
    }
    if (!(await isDirectory(cwd))) {
      return `The working directory ${cwd} is missing, or cannot be entered. Writing a file into it with write_file makes it again.`;
    }
    return `The command could not be started: ${error.message}. Check that bash and mkfifo are in the PATH, and that pipes can be made in the state directory.`;
  }
}

/** Why there is no process. Node reports it in an event after `spawn` has returned. */
async function failureOf(child: ChildProcess): Promise<unknown> {
  const [error] = await once(child, "error");
  return error;
}

async function isDirectory(path: string): Promise<boolean> {
  return (await orNothing(stat(path), undefined))?.isDirectory() ?? false;
}

function interrupted(pipe: Pipe): CommandNotStarted {
  closePipe(pipe);
  return notStarted("The call was interrupted before the command had started.");
}

function notStarted(problem: string): CommandNotStarted {
  return { type: "not-started", problem };
}

/** A command, with the arguments that start bash for it. */
interface BashCommand {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Sets the marker as a limit, and then becomes the shell of the command. The limit is on file
 * locks, which no kernel has enforced since Linux 2.4, and only the soft limit is set, so that it
 * restricts nothing, not even a Troupe inside the command. Functions from the environment may have
 * the names of builtins, and the environment may ask to exit at the first failure.
 */
const beginMarked = [
  'builtin ulimit -S -x "$1" 2>/dev/null || :',
  '[[ -z $3 ]] || builtin export BASH_ENV="$3"',
  'builtin exec -a "$0" "$4" -c "$2"',
].join("; ");

/**
 * How to start `command` so that all its processes carry `marker`. On Linux the marker is a limit,
 * which is also inherited by processes that leave the session, clear their environment and close
 * their files.
 */
export function markedCommand(options: {
  /**
   * The path of bash. Otherwise bash would be looked up in PATH, where the workspace may have
   * another one.
   */
  program: string;
  command: string;
  environment: BashCommand["environment"];
  marker: string;
}): BashCommand {
  const { program, command, marker } = options;
  const environment: Record<string, string> = { ...options.environment, [markerName]: marker };
  if (process.platform !== "linux") return { argv: ["-c", command], environment };
  // BASH_ENV names a file for the shell of the command: the first shell would read it, too.
  const { BASH_ENV = "", ...others } = environment;
  const argv = ["-c", beginMarked, "bash", marker, command, BASH_ENV, program];
  return { argv, environment: others };
}
