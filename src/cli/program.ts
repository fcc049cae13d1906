import { type ErrorCode, TeamError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import type { Arguments, Command, Io } from "./command.ts";
import { fileSystemFailure } from "./file-system-failure.ts";
import { parseArguments } from "./parse-arguments.ts";

/** The program apart from its process. */
export interface CliProgram {
  version: string;
  /** Loaders of commands by name. The empty name is for `troupe` without a command. */
  commands: ReadonlyMap<string, () => Promise<Command>>;
}

/**
 * Runs one command line and returns its exit code. Every failure, bugs too, is printed as a
 * sentence and a hint.
 */
export async function runProgram(
  { version, commands }: CliProgram,
  argv: string[],
  io: Io,
): Promise<number> {
  const [name] = argv;
  try {
    if (name === "--version" || name === "-v") {
      io.out(version);
      return exitDone;
    }
    if (name === "--help" || name === "-h" || name === "help") {
      const { helpText } = await import("./help.ts");
      io.out(helpText(await Promise.all([...commands.values()].map((load) => load()))));
      return exitDone;
    }
    if (name === "__complete") {
      const { complete } = await import("./complete.ts");
      for (const word of await complete(commands, argv.slice(1), io)) io.out(word);
      return exitDone;
    }
    const { load, rest } = findCommand(commands, argv);
    const [command] = await Promise.all([load(), loadTelling()]);
    const given = parseArguments(rest, command);
    if (given !== "help") return await runCommand(command, given, { argv, io });
    const { explain } = await import("./help.ts");
    io.out(explain(command));
    return exitDone;
  } catch (error) {
    // Ending at the person's request is not a failure; the exit code tells.
    if (io.signal.aborted && isAbort(error)) return exitFailed;
    const { bug, tellFailure } = await loadTelling();
    const failure = error instanceof TeamError ? error : bug(error);
    await tellFailure(error, failure, { argv, io });
    return error instanceof TeamError && usageErrors.has(error.code) ? exitUsage : exitFailed;
  }
}

/**
 * Loaded with every command, though not for `--version`: after a failure it may be impossible to
 * open further files.
 */
function loadTelling() {
  return import("./tell-failure.ts");
}

async function runCommand(
  command: Command,
  given: Arguments,
  { argv, io }: { argv: string[]; io: Io },
): Promise<number> {
  try {
    return await command.run(given, io);
  } catch (error) {
    const failure = fileSystemFailure(error, given.teamDir ?? ".team");
    if (!failure) throw error;
    const { tellFailure } = await loadTelling();
    await tellFailure(error, failure, { argv, io });
    return exitFailed;
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

const exitDone = 0;
const exitFailed = 1;
const exitUsage = 2;

/** Errors that the person can fix in the command line or the configuration. */
const usageErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "usage-wrong",
  "command-unknown",
  "command-refused",
  "name-invalid",
  "team-missing",
  "team-unusable",
  "team-foreign",
  "format-newer",
  "config-invalid",
  "sandbox-missing",
  "model-missing",
  "member-unknown",
  "member-ended",
  "lead-alive",
  "request-unknown",
  "request-refused",
  "content-too-large",
  "image-refused",
]);

/** The command, and its arguments. */
function findCommand(commands: CliProgram["commands"], argv: string[]) {
  const [name, ...rest] = argv;
  const withoutCommand = commands.get("");
  const named = name === "" ? undefined : commands.get(name === "-p" ? "run" : (name ?? ""));
  if (named) return { load: named, rest };
  // No command has a space in its name: this is what the person wants done.
  const isMissing = name === undefined || name.startsWith("-") || /\s/.test(name.trim());
  if (isMissing && withoutCommand) return { load: withoutCommand, rest: argv };
  throw unknownCommand(name, commands);
}

function unknownCommand(name: string | undefined, commands: CliProgram["commands"]): TeamError {
  const message = name === undefined ? "No command given" : `Unknown command: ${name}`;
  const names = [...commands.keys()].filter((known) => known !== "");
  const meant = nearest(name ?? "", names);
  const suggestion = meant ? `Did you mean \`troupe ${meant}\`? ` : "";
  return new TeamError("usage-wrong", message, {
    hint: `${suggestion}Commands: ${names.join(", ")}. See troupe --help.`,
  });
}
