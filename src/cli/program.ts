import { type ErrorCode, TeamError } from "../errors.ts";
import type { Command, Io } from "./command.ts";
import { printable } from "./render/printable.ts";

/** The program without its process: what it was asked for in, what it says and its exit code out. */
export interface Program {
  version: string;
  /** Commands by name; each is loaded when it is asked for. */
  commands: ReadonlyMap<string, () => Promise<Command>>;
}

export interface ProgramIo extends Io {
  /** A line about the result, for standard error. */
  err(line: string): void;
}

/** Runs one command line. Expected failures are told in a sentence and a hint; bugs throw. */
export async function runProgram(
  { version, commands }: Program,
  [name, ...argv]: string[],
  io: ProgramIo,
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
    const load = commands.get(name ?? "");
    if (!load) throw unknownCommand(name, commands);
    const command = await load();
    if (!argv.includes("--help")) return await command.run(argv, io);
    io.out(`${command.summary}\n\nUsage: troupe ${command.usage}`);
    return exitDone;
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    io.err(printable(`error: ${error.message}`));
    if (error.hint) io.err(printable(error.hint));
    return usageErrors.has(error.code) ? exitUsage : exitFailed;
  }
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
  "content-too-large",
]);

async function help(commands: Program["commands"]): Promise<string> {
  const loaded = await Promise.all([...commands.values()].map((load) => load()));
  const width = Math.max(...loaded.map(({ usage }) => shortUsage(usage).length));
  const lines = loaded.map(({ usage, summary }) => {
    return `  troupe ${shortUsage(usage).padEnd(width)}  ${summary}`;
  });
  return [
    "troupe looks after a team of coding agents: their mail, their tasks, their roster.",
    "",
    ...lines,
    "",
    "All of them take --json, and --team-dir <directory> for a team that is not in .team here.",
    "They work from any shell, while the team runs or not.",
  ].join("\n");
}

function shortUsage(usage: string): string {
  return usage.replace(" [--json] [--team-dir <directory>]", "");
}

function unknownCommand(name: string | undefined, commands: Program["commands"]): TeamError {
  const known = [...commands.keys()].join(", ");
  const message = name === undefined ? "A command is missing" : `Unknown command: ${name}`;
  return new TeamError("usage-wrong", message, {
    hint: `Commands: ${known}. See troupe --help.`,
  });
}
