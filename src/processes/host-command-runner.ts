import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeSync } from "node:fs";
import type { Socket } from "node:net";
import { basename } from "node:path";
import { describeError, hasErrno, TeamError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { isDirectory } from "../lib/is-there.ts";
import type { ConfinedProgram, Sandbox } from "../sandbox/sandbox.ts";
import { Beginning } from "./beginning.ts";
import type {
  CommandNotStarted,
  CommandRequest,
  CommandRunner,
  ProgramEnd,
  ProgramRequest,
} from "./command-runner.ts";
import { HeldDescriptors } from "./held-descriptors.ts";
import { type Capture, HostCommand } from "./host-command.ts";
import { runHostProgram } from "./host-program.ts";
import { openInput } from "./input-file.ts";
import { markedCommand } from "./marked-command.ts";
import { type CommandOwner, newMarker } from "./marker.ts";
import type { OutputFiles } from "./output-files.ts";
import { type Pipes, readerOf } from "./pipes.ts";
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
  /** What confines the commands (default: they run as the person). */
  sandbox?: () => Promise<Sandbox | undefined>;
  /** The owner of the commands, also for a later process: each command is marked with it. */
  owner: CommandOwner;
}

interface Launched {
  type: "launched";
  child: ChildProcess;
  pid: number;
  output: Socket;
  /** Where its errors are apart from its output. */
  errors: Socket | undefined;
  confined: ConfinedProgram | undefined;
}

interface ShellStart {
  argv: readonly [string, ...string[]];
  confined: ConfinedProgram | undefined;
  isTrial: boolean;
  marker: string;
  /** The descriptors of its input, output and errors, and of what its sandbox reads. */
  input: number | undefined;
  output: number;
  errors: number;
  inputs: readonly number[];
}

/** Variables that say nothing of the person. */
const plainVariables =
  "PATH HOME USER LANG LC_ALL LC_CTYPE TZ CI NODE_ENV GIT_CEILING_DIRECTORIES".split(" ");

function plainPart(environment: Readonly<Record<string, string>>): Record<string, string> {
  const isPlain = ([name]: [string, string]) =>
    plainVariables.includes(name) || /^(GIT_CONFIG_(COUNT|KEY_|VALUE_)|GIT_OPTIONAL)/.test(name);
  return Object.fromEntries(Object.entries(environment).filter(isPlain));
}

/** By these names a variable holds what somebody can act with as the person, as the hidden files do. */
const credentialName = /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|(API|ACCESS|AUTH|PRIVATE)_?KEY/i;

/** Variables by which programs load code: what starts the sandbox is outside, and a command can write such code. */
const loaderName = /^(LD_|DYLD_|(GCONV_|LOC)PATH$)/;

type Environment = Readonly<Record<string, string>>;

/** The variables that what starts the sandbox may have, too, and those for the inside alone. */
function split(environment: Environment): { shared: Environment; inside: Environment } {
  const variables = Object.entries(environment).filter(([name]) => !credentialName.test(name));
  const shared = variables.filter(([name]) => !loaderName.test(name));
  const inside = variables.filter(([name]) => loaderName.test(name));
  return { shared: Object.fromEntries(shared), inside: Object.fromEntries(inside) };
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
    const { command, name, timeoutMs, signal, onOutput, io, maxProcesses } = request;
    if (command.includes("\0")) return notStarted("A command cannot contain a NUL byte.");
    const marker = newMarker(owner);
    const launched = await this.#launch(request, marker);
    if (launched.type === "not-started") return launched;
    const { child, pid, confined } = launched;
    // The shell leads its own process group, which has its pid.
    const tree = { group: pid, marker, start: startOfProcess(pid) };
    const keep = (): Capture =>
      io
        ? new Beginning(io.maxCharacters, outputFiles.secrets.stream())
        : outputFiles.capture(name, onOutput);
    const output = { socket: launched.output, capture: keep() };
    const errors = launched.errors && { socket: launched.errors, capture: keep() };
    const parts = { child, tree, output, errors, confined };
    return new HostCommand({ ...parts, clock, timeoutMs, signal, running, maxProcesses });
  }

  async #launch(request: CommandRequest, marker: string): Promise<Launched | CommandNotStarted> {
    using held = new HeldDescriptors();
    try {
      const shell = await this.#options.programs.find("bash");
      const argv = [shell, "-c", request.command] as const;
      const { cwd, pipes } = this.#options;
      const sandbox = request.isUnconfined ? undefined : await this.#options.sandbox?.();
      const { isReadOnly, isTrial = false } = request;
      if (isTrial && !sandbox) return notStarted("There is no sandbox to try it in.");
      const variables = isTrial ? {} : split(this.#options.environment).inside;
      const confined = await sandbox?.confine({ argv, cwd, isReadOnly, isTrial, variables });
      const { reader, writer } = held.pipe(await pipes.take());
      const apart = request.io && held.pipe(await pipes.take());
      const input = request.io && held.hold(await openInput(request.io.input, pipes.directory));
      const inputs = [];
      for (const bytes of confined?.inputs ?? []) {
        const pipe = held.pipe(await pipes.take());
        writeSync(pipe.writer, bytes);
        held.close(pipe.writer);
        inputs.push(pipe.reader);
      }
      if (request.signal.aborted) return interrupted();
      const child = this.#spawn(shell, {
        ...{ argv, confined, marker, inputs, isTrial },
        ...{ input, output: writer, errors: apart?.writer ?? writer },
      });
      if (child.pid === undefined) throw await failureOf(child);
      held.release(reader);
      if (apart) held.release(apart.reader);
      return {
        ...{ type: "launched", child, pid: child.pid, confined },
        ...{ output: readerOf({ reader }), errors: apart && readerOf(apart) },
      };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return notStarted(await this.#problemOf(error, request.command));
    }
  }

  #spawn(shell: string, start: ShellStart): ChildProcess {
    const { argv, confined, marker, input, output, errors, inputs, isTrial } = start;
    const { cwd } = this.#options;
    const all = this.#options.environment;
    const kept = isTrial ? plainPart(all) : split(all).shared;
    const environment = confined ? kept : all;
    const started = confined
      ? {
          name: basename(confined.argv[0]),
          argv: confined.argv,
          lastDescriptor: 2 + inputs.length + confined.reports,
        }
      : { name: "bash", argv };
    const marked = markedCommand({ shell, ...started, environment, marker });
    return spawn(marked.program, marked.argv, {
      argv0: "bash",
      cwd,
      env: { ...marked.environment, ...unattended },
      detached: true,
      stdio: [input ?? "ignore", output, errors, ...inputs, ...pipes(confined?.reports)],
    });
  }

  async #problemOf(error: Error, command: string): Promise<string> {
    const { cwd } = this.#options;
    if (error instanceof TeamError) return `${describeError(error)} Nothing ran.`;
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

function pipes(count = 0): "pipe"[] {
  return Array.from({ length: count }, () => "pipe");
}

/** Why there is no process. Node reports it in an event after `spawn` has returned. */
async function failureOf(child: ChildProcess): Promise<unknown> {
  const [error] = await once(child, "error");
  return error;
}

function interrupted(): CommandNotStarted {
  return notStarted("The call was interrupted before the command had started.");
}

function notStarted(problem: string): CommandNotStarted {
  return { type: "not-started", problem };
}
