import { systemClock } from "../../src/lib/clock.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { BackgroundJobs } from "../../src/processes/background-jobs.ts";
import {
  type CommandEnd,
  type CommandRequest,
  runCommand,
} from "../../src/processes/command-runner.ts";
import {
  HostCommandRunner,
  type HostCommandRunnerOptions,
} from "../../src/processes/host-command-runner.ts";
import { MemoryJobRecords } from "../../src/processes/job-records.ts";
import { OutputFiles, type OutputFilesOptions } from "../../src/processes/output-files.ts";
import { Pipes } from "../../src/processes/pipes.ts";
import { Programs } from "../../src/processes/programs.ts";
import { RunningCommands } from "../../src/processes/running-commands.ts";
import { lead } from "../../src/protocol/ids.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

export interface ShellFixture extends AsyncDisposable {
  readonly directory: string;
  readonly runner: HostCommandRunner;
  readonly secrets: Secrets;
  readonly background: BackgroundJobs;
  readonly running: RunningCommands;
  readonly outputFiles: OutputFiles;
  /** Another runner, with the same outputs. */
  runnerIn(cwd: string, environment: Readonly<Record<string, string>>): HostCommandRunner;
  /** Runs `command` to its end. */
  run(command: string, request?: Partial<CommandRequest>): Promise<CommandEnd>;
}

type FixtureOptions = Partial<Omit<HostCommandRunnerOptions, "outputFiles"> & OutputFilesOptions>;

/** A shell in a new directory, which keeps its outputs in another one inside it. */
export async function openShell(options: FixtureOptions = {}): Promise<ShellFixture> {
  const directory = await temporaryDirectory();
  const { environment = plainEnvironment(), clock = systemClock, cwd = directory.path } = options;
  const outputs = options.directory ?? `${directory.path}/outputs`;
  const secrets = options.secrets ?? new Secrets([]);
  const outputFiles = new OutputFiles({ ...options, directory: outputs, secrets });
  const programs = new Programs({ path: environment.PATH, workspace: directory.path });
  const pipes = new Pipes({ directory: `${directory.path}/pipes`, programs, clock });
  const { running = new RunningCommands(), owner = { team: "the test", member: "alice" } } =
    options;
  const parts = { clock, outputFiles, pipes, programs, running, owner };
  const runner = new HostCommandRunner({
    ...{ ...parts, cwd, environment },
    ...(options.sandbox && { sandbox: options.sandbox }),
  });
  const records = new MemoryJobRecords();
  const background = new BackgroundJobs({ runner, secrets, clock, member: lead, records });
  return {
    directory: directory.path,
    runner,
    secrets,
    background,
    running,
    outputFiles,
    runnerIn: (place, given) => new HostCommandRunner({ ...parts, cwd: place, environment: given }),
    async run(command, request = {}) {
      const end = await runCommand(runner, { ...defaults(), command, ...request });
      if (end.type === "not-started") throw new Error(end.problem);
      return end;
    },
    async [Symbol.asyncDispose]() {
      await background[Symbol.asyncDispose]();
      await pipes[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

export function plainEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? "" };
}

function defaults(): Omit<CommandRequest, "command"> {
  return {
    name: "call-1",
    timeoutMs: undefined,
    signal: new AbortController().signal,
    onOutput: () => {},
  };
}

/** Calls back once when `word` has been printed. */
export function onWord(word: string, run: () => void): (text: string) => void {
  let seen = "";
  let isDone = false;
  return (text) => {
    seen += text;
    if (isDone || !seen.includes(word)) return;
    isDone = true;
    run();
  };
}
