#!/usr/bin/env node
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { systemClock } from "../lib/clock.ts";
import type { Team } from "../team/team.ts";
import type { Io } from "./command.ts";
import { type Program, runProgram } from "./program.ts";
import { oneLine } from "./render/one-line.ts";

const program: Program = {
  version: packageJson.version,
  commands: new Map([
    ["run", async () => (await import("./commands/run.ts")).run],
    ["team", async () => (await import("./commands/team.ts")).team],
    ["inbox", async () => (await import("./commands/inbox.ts")).inbox],
    ["messages", async () => (await import("./commands/messages.ts")).messages],
    ["tasks", async () => (await import("./commands/tasks.ts")).tasks],
    ["send", async () => (await import("./commands/send.ts")).send],
  ]),
};

const ending = new AbortController();

let team: Team | undefined;

const io: Io = {
  out: (line) => write(process.stdout, line),
  err: (line) => write(process.stderr, line),
  signal: ending.signal,

  async observeTeam(teamDir) {
    const { systemPlace } = await import("../team/system-place.ts");
    const { TeamObserver } = await import("../team/team-observer.ts");
    const directory = resolve(teamDir ?? ".team");
    return TeamObserver.open(systemPlace({ directory, onWarning }));
  },

  async openTeam({ cwd, teamDir, denies, ...settings }) {
    const { systemPlace } = await import("../team/system-place.ts");
    const { Team } = await import("../team/team.ts");
    const workspace = resolve(cwd ?? ".");
    const directory = teamDir ? resolve(teamDir) : join(workspace, ".team");
    team = await Team.open({
      ...settings,
      cwd: workspace,
      place: systemPlace({ directory, onWarning }),
      env: process.env,
      approvals: denies ? { unattended } : {},
    });
    return team;
  },

  schedule: (delayMs, run) => systemClock.schedule(delayMs, run),

  surroundings: { cwd: process.cwd(), home: homedir(), env: process.env },

  terminal: {
    input: process.stdin,
    output: process.stdout,
    isInteractive: Boolean(process.stdin.isTTY && process.stdout.isTTY) && canDoMoreThanLines(),
    hasColors: Boolean(process.stdout.isTTY && process.stdout.hasColors()),
  },
};

function canDoMoreThanLines(): boolean {
  const { TERM, CI } = process.env;
  return TERM !== "dumb" && (CI === undefined || CI === "" || CI === "false" || CI === "0");
}

function unattended(rule: string | undefined): string {
  const flag = rule ? `--allow "${rule}"` : "--allow or --permission-mode";
  return `nobody can be asked in this run; the person can allow it with ${flag}`;
}

function onWarning(message: string): void {
  io.err(oneLine(`warning: ${message}`));
}

/** The outputs that can take no more. */
const closed = new Set<NodeJS.WriteStream>();
let outputFailure: string | undefined;

function write(stream: NodeJS.WriteStream, line: string): void {
  if (!closed.has(stream)) stream.write(`${line}\n`);
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    closed.add(stream);
    // Whoever reads may stop early, as `head` does, or close the terminal: that is no failure.
    if (error.code !== "EPIPE" && error.code !== "EIO") outputFailure ??= error.message;
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
    ending.abort();
  });
}

const code = await runProgram(program, process.argv.slice(2), io);
if (outputFailure) io.err(`error: The output could not be written: ${outputFailure}`);
const exitCode = outputFailure ? Math.max(code, 1) : code;
process.exitCode = stoppedBy ? exitCodes[stoppedBy] : exitCode;
