import { join } from "node:path";
import type { Dashboards, Terminal } from "../../src/cli/command.ts";
import { agents } from "../../src/cli/commands/agents.ts";
import { approvals } from "../../src/cli/commands/approvals.ts";
import { approve } from "../../src/cli/commands/approve.ts";
import { changes } from "../../src/cli/commands/changes.ts";
import { checkouts } from "../../src/cli/commands/checkouts.ts";
import { completion } from "../../src/cli/commands/completion.ts";
import { cost } from "../../src/cli/commands/cost.ts";
import { deny } from "../../src/cli/commands/deny.ts";
import { diff } from "../../src/cli/commands/diff.ts";
import { discard } from "../../src/cli/commands/discard.ts";
import { doctor } from "../../src/cli/commands/doctor.ts";
import { exportRun } from "../../src/cli/commands/export.ts";
import { inbox } from "../../src/cli/commands/inbox.ts";
import { init } from "../../src/cli/commands/init.ts";
import { land } from "../../src/cli/commands/land.ts";
import { log } from "../../src/cli/commands/log.ts";
import { mcp } from "../../src/cli/commands/mcp.ts";
import { messages } from "../../src/cli/commands/messages.ts";
import { models } from "../../src/cli/commands/models.ts";
import { permissions } from "../../src/cli/commands/permissions.ts";
import { resume } from "../../src/cli/commands/resume.ts";
import { run } from "../../src/cli/commands/run.ts";
import { send } from "../../src/cli/commands/send.ts";
import { show } from "../../src/cli/commands/show.ts";
import { skills } from "../../src/cli/commands/skills.ts";
import { stop } from "../../src/cli/commands/stop.ts";
import { talk } from "../../src/cli/commands/talk.ts";
import { tasks } from "../../src/cli/commands/tasks.ts";
import { team } from "../../src/cli/commands/team.ts";
import { teams } from "../../src/cli/commands/teams.ts";
import { trust } from "../../src/cli/commands/trust.ts";
import { web } from "../../src/cli/commands/web.ts";
import { runProgram } from "../../src/cli/program.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Team } from "../../src/team/team.ts";
import type { TeamView } from "../../src/team/view/team-view.ts";
import { teamPlace, viewTeam } from "../support/team.ts";

/** Runs one command line on the team below `root`, unless it names another directory. */
export function troupe(root: string, ...argv: string[]) {
  return troupeIn({ root, env: {} }, ...argv);
}

interface World {
  root: string;
  /** The environment, such as where the provider is. */
  env: Record<string, string>;
  signal?: AbortSignal;
  /** Told of each line of the result as it comes. */
  onOut?: (line: string) => void;
  terminal?: Terminal;
  dashboards?: Dashboards;
  /** What is seen of the team, where that is not in files below `root`. */
  view?: TeamView;
}

/** As `troupe`, in a world of the test's choice. */
export async function troupeIn(
  { root, env, signal, onOut, terminal, dashboards, view }: World,
  ...argv: string[]
) {
  const out: string[] = [];
  const err: string[] = [];
  const loaded = [
    talk,
    resume,
    run,
    team,
    teams,
    inbox,
    messages,
    tasks,
    send,
    log,
    show,
    diff,
    changes,
    checkouts,
    land,
    discard,
    cost,
    approvals,
    approve,
    deny,
    permissions,
    stop,
    completion,
    doctor,
    init,
    mcp,
    skills,
    agents,
    models,
    trust,
    web,
    exportRun,
  ];
  const commands = new Map(loaded.map((command) => [command.name, async () => command]));
  const onWarning = (message: string) => err.push(message);
  const code = await runProgram({ version: "1.2.3", commands }, argv, {
    out: (line) => {
      out.push(line);
      onOut?.(line);
    },
    err: (line) => err.push(line),
    signal: signal ?? new AbortController().signal,
    processInfo: {
      cwd: root,
      home: root,
      env: {
        PATH: process.env.PATH,
        XDG_CONFIG_HOME: join(root, "config"),
        XDG_STATE_HOME: join(root, "state"),
        ...env,
      },
    },
    terminal: terminal ?? noTerminal,
    isInputPiped: () => false,
    pipes: { input: process.stdin, output: process.stdout },
    dashboards: dashboards ?? noDashboards,
    schedule: (delayMs, work) => systemClock.schedule(delayMs, work),
    openTeam: ({ teamDir, cwd, denies, ...settings }) =>
      Team.open({
        ...settings,
        cwd: cwd ?? root,
        place: teamPlace(root, teamDir ? { directory: teamDir, onWarning } : { onWarning }),
        env: { PATH: process.env.PATH, ...(settings.env ?? env) },
        approvals: denies ? { unattended: () => "nobody is there" } : "wait",
      }),
    viewTeam: async (directory, onTeamWarning = onWarning) =>
      view ?? viewTeam(root, { ...(directory && { directory }), onWarning: onTeamWarning }),
  });
  return { code, out, err };
}

/** What cannot be had here. */
export const noDashboards: Dashboards = {
  serve: () => Promise.reject(new Error("unused")),
  find: () => Promise.reject(new Error("unused")),
  export: () => Promise.reject(new Error("unused")),
};

/** What a program has that was started by another one. */
export const noTerminal: Terminal = {
  input: process.stdin,
  output: process.stdout,
  isInteractive: false,
  hasColors: false,
  atExit: () => () => undefined,
  edit: (text) => Promise.resolve(text),
  passesThroughTmux: () => Promise.resolve(false),
  jobControl: { onStop: () => () => undefined, stop: () => undefined },
};
