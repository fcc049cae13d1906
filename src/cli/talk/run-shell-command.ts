import { TeamError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { doctor } from "../commands/doctor.ts";
import { exportRun } from "../commands/export.ts";
import { fileSystemFailure } from "../file-system-failure.ts";
import { parseArguments } from "../parse-arguments.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** `/export [<file>]`, as `troupe export`. */
export async function runExport(argument: string, talk: Talk): Promise<TalkReply> {
  const argv = argument === "" ? [] : argument.split(/\s+/);
  if (argv.includes("-")) {
    throw new TeamError("usage-wrong", "/export writes to a file, not to the screen", {
      hint: "Use `troupe export -` in a shell.",
    });
  }
  return runCommand(exportRun, ["--team-dir", talk.teamDir, ...argv], talk);
}

/** `/doctor`, as `troupe doctor`. */
export function runDoctor(argument: string, talk: Talk): Promise<TalkReply> {
  const argv = argument === "" ? [] : argument.split(/\s+/);
  const { teamDir, workspace } = talk;
  return runCommand(doctor, ["--team-dir", teamDir, "--cwd", workspace, ...argv], talk);
}

/** Runs a command to its end. All that it prints is the reply: there may be a screen. */
async function runCommand(command: Command, argv: string[], talk: Talk): Promise<TalkReply> {
  const given = parseArguments(argv, command);
  if (given === "help") return { type: "shown", lines: [command.summary] };
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  try {
    await command.run(given, { ...talk.io, out: print, err: print });
  } catch (error) {
    const failure = fileSystemFailure(error, talk.teamDir);
    if (!failure) throw error;
    return { type: "refused", ...failure };
  }
  return { type: "shown", lines };
}
