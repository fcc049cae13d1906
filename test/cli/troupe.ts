import { inbox } from "../../src/cli/commands/inbox.ts";
import { messages } from "../../src/cli/commands/messages.ts";
import { send } from "../../src/cli/commands/send.ts";
import { tasks } from "../../src/cli/commands/tasks.ts";
import { team } from "../../src/cli/commands/team.ts";
import { runProgram } from "../../src/cli/program.ts";
import { observe } from "../support/team.ts";

/** Runs one command line on the team below `root`, unless it names another directory. */
export async function troupe(root: string, ...argv: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const loaded = [team, inbox, messages, tasks, send];
  const commands = new Map(loaded.map((command) => [command.name, async () => command]));
  const onWarning = (message: string) => err.push(message);
  const code = await runProgram({ version: "1.2.3", commands }, argv, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    observeTeam: (directory) =>
      observe(root, directory === undefined ? { onWarning } : { directory, onWarning }),
  });
  return { code, out, err };
}
