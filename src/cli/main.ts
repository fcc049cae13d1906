#!/usr/bin/env node
import { join, resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { leave } from "../lib/leaving.ts";
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

const io: Io = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  signal: ending.signal,

  async observeTeam(teamDir) {
    const { systemPlace } = await import("../team/system-place.ts");
    const { TeamObserver } = await import("../team/team-observer.ts");
    const directory = resolve(teamDir ?? ".team");
    return TeamObserver.open(systemPlace({ directory, onWarning }));
  },

  async openLead({ cwd, teamDir, ...settings }) {
    const { systemPlace } = await import("../team/system-place.ts");
    const { Lead } = await import("../team/lead.ts");
    const workspace = resolve(cwd ?? ".");
    const directory = teamDir ? resolve(teamDir) : join(workspace, ".team");
    return Lead.open({
      ...settings,
      cwd: workspace,
      place: systemPlace({ directory, onWarning }),
      env: process.env,
      unattended: "nobody can be asked in this run; the person can allow it with --allow",
    });
  },
};

function onWarning(message: string): void {
  io.err(oneLine(`warning: ${message}`));
}

// Whoever reads the output may stop early, as `head` does: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;
let stoppedBy: keyof typeof exitCodes | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  // The first one asks for an orderly end; another one does not wait for it.
  process.once(signal, () => {
    stoppedBy = signal;
    leave(ending);
  });
}

const code = await runProgram(program, process.argv.slice(2), io);
process.exitCode = stoppedBy ? exitCodes[stoppedBy] : code;
