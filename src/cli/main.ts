#!/usr/bin/env node
import { fstatSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { systemClock } from "../lib/clock.ts";
import type { Team } from "../team/team.ts";
import type { TeamPlace } from "../team/team-place.ts";
import { wantsTelemetry } from "../telemetry/wants-telemetry.ts";
import type { Io } from "./command.ts";
import { jobControl } from "./job-control.ts";
import { type CliProgram, runProgram } from "./program.ts";
import { fitted } from "./render/columns.ts";
import { oneLine } from "./render/one-line.ts";
import { StopRequest } from "./stop-request.ts";

const program: CliProgram = {
  version: packageJson.version,
  commands: new Map([
    ["", async () => (await import("./commands/talk.ts")).talk],
    ["run", async () => (await import("./commands/run.ts")).run],
    ["demo", async () => (await import("./commands/demo.ts")).demo],
    ["resume", async () => (await import("./commands/resume.ts")).resume],
    ["teams", async () => (await import("./commands/teams.ts")).teams],
    ["agents", async () => (await import("./commands/agents.ts")).agents],
    ["team", async () => (await import("./commands/team.ts")).team],
    ["inbox", async () => (await import("./commands/inbox.ts")).inbox],
    ["messages", async () => (await import("./commands/messages.ts")).messages],
    ["tasks", async () => (await import("./commands/tasks.ts")).tasks],
    ["log", async () => (await import("./commands/log.ts")).log],
    ["diff", async () => (await import("./commands/diff.ts")).diff],
    ["changes", async () => (await import("./commands/changes.ts")).changes],
    ["checkouts", async () => (await import("./commands/checkouts.ts")).checkouts],
    ["show", async () => (await import("./commands/show.ts")).show],
    ["cost", async () => (await import("./commands/cost.ts")).cost],
    ["approvals", async () => (await import("./commands/approvals.ts")).approvals],
    ["send", async () => (await import("./commands/send.ts")).send],
    ["permissions", async () => (await import("./commands/permissions.ts")).permissions],
    ["hooks", async () => (await import("./commands/hooks.ts")).hooks],
    ["approve", async () => (await import("./commands/approve.ts")).approve],
    ["deny", async () => (await import("./commands/deny.ts")).deny],
    ["land", async () => (await import("./commands/land.ts")).land],
    ["discard", async () => (await import("./commands/discard.ts")).discard],
    ["stop", async () => (await import("./commands/stop.ts")).stop],
    ["mcp", async () => (await import("./commands/mcp.ts")).mcp],
    ["web", async () => (await import("./commands/web.ts")).web],
    ["export", async () => (await import("./commands/export.ts")).exportRun],
    ["completion", async () => (await import("./commands/completion.ts")).completion],
    ["models", async () => (await import("./commands/models.ts")).models],
    ["skills", async () => (await import("./commands/skills.ts")).skills],
    ["init", async () => (await import("./commands/init.ts")).init],
    ["doctor", async () => (await import("./commands/doctor.ts")).doctor],
    ["trust", async () => (await import("./commands/trust.ts")).trust],
  ]),
};

const ending = new AbortController();

let team: Team | undefined;
let telemetry: AsyncDisposable | undefined;

const io: Io = {
  out: (line) => write(watched(process.stdout), line),
  err: (line) => write(watched(process.stderr), fitted(line, process.stderr.columns)),
  signal: ending.signal,

  async viewTeam(teamDir, onTeamWarning = onWarning) {
    const { systemPlace } = await import("../team/system-place.ts");
    const { FileTeamView } = await import("../team/view/file-team-view.ts");
    const directory = resolve(teamDir ?? ".team");
    return new FileTeamView(systemPlace({ directory, onWarning: onTeamWarning }));
  },

  async openTeam({ cwd, teamDir, denies, onWarning: onTeamWarning = onWarning, ...settings }) {
    const { systemPlace } = await import("../team/system-place.ts");
    const { Team } = await import("../team/team.ts");
    const workspace = resolve(cwd ?? ".");
    const directory = teamDir ? resolve(teamDir) : join(workspace, ".team");
    team = await Team.open({
      env: process.env,
      ...settings,
      cwd: workspace,
      place: systemPlace({ directory, onWarning: onTeamWarning }),
      approvals: denies ? { unattended } : "wait",
    });
    if (wantsTelemetry(process.env)) {
      const { observeWithOpenTelemetry } = await import(
        "../telemetry/observe-with-open-telemetry.ts"
      );
      telemetry = await observeWithOpenTelemetry(team, { onWarning: onTeamWarning });
    }
    return team;
  },

  dashboards: {
    async serve({ teamDir, onWarning: onDashboardWarning, ...options }) {
      const { serveDashboard } = await import("../server/serve-dashboard.ts");
      const machine = await placeOf(teamDir, onDashboardWarning);
      return serveDashboard(await io.viewTeam(teamDir), { ...options, machine });
    },

    async find({ teamDir, port }) {
      const { findDashboard } = await import("../server/serve-dashboard.ts");
      return findDashboard(await io.viewTeam(teamDir), { port });
    },

    async export({ teamDir, ...options }) {
      const { exportTeam } = await import("../server/export-team.ts");
      return exportTeam(await io.viewTeam(teamDir), options);
    },
  },

  schedule: (delayMs, run) => systemClock.schedule(delayMs, run),

  processInfo: { cwd: process.cwd(), home: homedir(), env: process.env },

  isInputPiped() {
    try {
      // Programs that start this one often leave a socket open that nobody ever writes to.
      const stats = fstatSync(0);
      return stats.isFIFO() || stats.isFile();
    } catch {
      // There is no standard input.
      return false;
    }
  },

  get pipes() {
    return { input: process.stdin, output: watched(process.stdout) };
  },

  // Made when it is asked for: its streams take milliseconds to open, and most commands need none.
  get terminal() {
    const { stdin: input } = process;
    const output = watched(process.stdout);
    return {
      input,
      output,
      isInteractive: Boolean(input.isTTY && output.isTTY) && canDoMoreThanLines(),
      hasColors: Boolean(output.isTTY && output.hasColors()),
      atExit(run: () => void) {
        process.once("exit", run);
        return () => process.off("exit", run);
      },
      jobControl: jobControl(io.schedule),
      async passesThroughTmux() {
        return await (await import("./passes-through-tmux.ts")).passesThroughTmux();
      },
      async edit(text: string) {
        const { editOutside } = await import("./edit-outside.ts");
        return await editOutside(text, io.processInfo);
      },
    };
  },
};

async function placeOf(teamDir: string, onTeamWarning = onWarning): Promise<TeamPlace> {
  const { systemPlace } = await import("../team/system-place.ts");
  return systemPlace({ directory: resolve(teamDir), onWarning: onTeamWarning });
}

function canDoMoreThanLines(): boolean {
  const { TERM, CI } = process.env;
  return TERM !== "dumb" && (CI === undefined || CI === "" || CI === "false" || CI === "0");
}

function unattended(rule: string | undefined): string {
  const flag = rule ? `--allow "${rule}"` : "--allow or --permission-mode";
  return `this run is unattended, so nobody can approve it; the person can allow it with ${flag}`;
}

function onWarning(message: string): void {
  io.err(oneLine(`warning: ${message}`));
}

const watchedOutputs = new Set<NodeJS.WriteStream>();
const closed = new Set<NodeJS.WriteStream>();
let outputFailure: string | undefined;

function write(stream: NodeJS.WriteStream, line: string): void {
  if (!closed.has(stream)) stream.write(`${line}\n`);
}

/** The same output, whose failure does not end the program. */
function watched(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (watchedOutputs.has(stream)) return stream;
  watchedOutputs.add(stream);
  return stream.on("error", (error: NodeJS.ErrnoException) => {
    closed.add(stream);
    // A reader may stop early, as `head` does, or close the terminal: that is not a failure.
    if (error.code !== "EPIPE" && error.code !== "EIO") outputFailure ??= error.message;
    // A command that only shows something can stop; a team continues its work.
    if (stream === process.stdout && !team) ending.abort();
  });
}

const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
let stoppedBy: keyof typeof exitCodes | undefined;
for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    // The first one asks for an orderly end; another one does not wait for it.
    if (stoppedBy) {
      team?.killCommands();
      process.exit(exitCodes[signal]);
    }
    stoppedBy = signal;
    ending.abort(new StopRequest(exitCodes[signal]));
  });
}

const argv = process.argv.slice(2);

process.once("uncaughtException", async (error) => {
  team?.killCommands();
  const { bug, tellFailure } = await import("./tell-failure.ts");
  await tellFailure(error, bug(error), { argv, io });
  process.exit(1);
});

async function main(): Promise<void> {
  // A command that waits for files to change has nothing else to keep the process alive.
  const alive = setInterval(() => {}, 2 ** 30);
  const code = await runProgram(program, argv, io);
  // The command has closed its team, so this is all that there is to send.
  await telemetry?.[Symbol.asyncDispose]();
  clearInterval(alive);
  if (outputFailure) io.err(`error: Cannot write the output: ${outputFailure}`);
  const exitCode = outputFailure ? Math.max(code, 1) : code;
  process.exitCode = stoppedBy ? exitCodes[stoppedBy] : exitCode;
}

// The bundle is a script, which has no top-level await. A failure here is reported as uncaught.
void main();
