import { type ErrorCode, TeamError } from "../errors.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { type Failure, fileSystemFailure } from "./file-system-failure.ts";
import { nearest } from "./nearest.ts";
import { callOf, explain, parseArguments } from "./parse-arguments.ts";
import { oneLine } from "./render/one-line.ts";

/** The program without its process: what it was asked for in, what it says and its exit code out. */
export interface Program {
  version: string;
  /** Commands by name; each is loaded when it is asked for. */
  commands: ReadonlyMap<string, () => Promise<Command>>;
}

/** Runs one command line. Expected failures are told in a sentence and a hint; bugs throw. */
export async function runProgram(
  { version, commands }: Program,
  [name, ...argv]: string[],
  io: Io,
): Promise<number> {
  try {
    if (name === "--version" || name === "-v") {
      io.out(version);
      return exitDone;
    }
    if (name === "--help" || name === "-h" || name === "help") {
      io.out(await help(commands));
      return exitDone;
    }
    const load = commands.get(name === "-p" ? "run" : (name ?? ""));
    if (!load) throw unknownCommand(name, commands);
    const command = await load();
    const given = parseArguments(argv, command);
    if (given !== "help") return await runCommand(command, given, io);
    io.out(explain(command));
    return exitDone;
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    tell(error, io);
    return usageErrors.has(error.code) ? exitUsage : exitFailed;
  }
}

async function runCommand(command: Command, given: Arguments, io: Io): Promise<number> {
  try {
    return await command.run(given, io);
  } catch (error) {
    const failure = fileSystemFailure(error, given.teamDir ?? ".team");
    if (!failure) throw error;
    tell(failure, io);
    return exitFailed;
  }
}

function tell({ message, hint }: Failure, io: Io): void {
  io.err(oneLine(`error: ${message}`));
  if (hint) io.err(oneLine(hint));
}

const exitDone = 0;
const exitFailed = 1;
const exitUsage = 2;

/** What the person can set right by asking otherwise, or by changing what is configured. */
const usageErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "usage-wrong",
  "name-invalid",
  "team-missing",
  "team-unusable",
  "format-newer",
  "config-invalid",
  "member-unknown",
  "member-ended",
  "lead-alive",
  "content-too-large",
]);

async function help(commands: Program["commands"]): Promise<string> {
  const loaded = await Promise.all([...commands.values()].map((load) => load()));
  const width = Math.max(...loaded.map((command) => callOf(command).length));
  return [
    "troupe runs a team of coding agents, and looks after their mail, their tasks and their roster.",
    "",
    ...loaded.map((command) => `  ${callOf(command).padEnd(width)}  ${command.summary}`),
    "",
    "`troupe <command> --help` tells what a command takes. All but `run` work from any shell, while the",
    "team runs or not, and take --json; all take --team-dir <directory> for a team that is not in .team here.",
  ].join("\n");
}

function unknownCommand(name: string | undefined, commands: Program["commands"]): TeamError {
  const message = name === undefined ? "A command is missing" : `Unknown command: ${name}`;
  const meant = nearest(name ?? "", commands.keys());
  const suggestion = meant ? `Did you mean \`troupe ${meant}\`? ` : "";
  return new TeamError("usage-wrong", message, {
    hint: `${suggestion}Commands: ${[...commands.keys()].join(", ")}. See troupe --help.`,
  });
}
