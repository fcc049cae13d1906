import type { Terminal } from "../../src/cli/command.ts";
import { inbox } from "../../src/cli/commands/inbox.ts";
import { messages } from "../../src/cli/commands/messages.ts";
import { run } from "../../src/cli/commands/run.ts";
import { send } from "../../src/cli/commands/send.ts";
import { tasks } from "../../src/cli/commands/tasks.ts";
import { team } from "../../src/cli/commands/team.ts";
import { runProgram } from "../../src/cli/program.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Team } from "../../src/team/team.ts";
import { observe, teamPlace } from "../support/team.ts";

/** Runs one command line on the team below `root`, unless it names another directory. */
export function troupe(root: string, ...argv: string[]) {
  return troupeIn({ root, env: {} }, ...argv);
}

interface World {
  root: string;
  /** The environment, such as where the provider is. */
  env: Record<string, string>;
  signal?: AbortSignal;
}

/** As `troupe`, in a world of the test's choice. */
export async function troupeIn({ root, env, signal }: World, ...argv: string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const loaded = [run, team, inbox, messages, tasks, send];
  const commands = new Map(loaded.map((command) => [command.name, async () => command]));
  const onWarning = (message: string) => err.push(message);
  const code = await runProgram({ version: "1.2.3", commands }, argv, {
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    signal: signal ?? new AbortController().signal,
    surroundings: { cwd: root, home: root, env },
    terminal: noTerminal,
    schedule: (delayMs, work) => systemClock.schedule(delayMs, work),
    openTeam: ({ teamDir, cwd, denies, ...settings }) =>
      Team.open({
        ...settings,
        cwd: cwd ?? root,
        place: teamPlace(root, teamDir ? { directory: teamDir, onWarning } : { onWarning }),
        env: { PATH: process.env.PATH, ...env },
        approvals: denies ? { unattended: () => "nobody is there" } : {},
      }),
    observeTeam: (directory) =>
      observe(root, directory === undefined ? { onWarning } : { directory, onWarning }),
  });
  return { code, out, err };
}

/** What a program has that was started by another one. */
export const noTerminal: Terminal = {
  input: process.stdin,
  output: process.stdout,
  isInteractive: false,
  hasColors: false,
};
