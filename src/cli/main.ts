#!/usr/bin/env node
import { homedir } from "node:os";
import { resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { systemClock } from "../lib/clock.ts";
import { systemProcesses } from "../lib/process-identity.ts";
import { type Program, type ProgramIo, runProgram } from "./program.ts";

const program: Program = {
  version: packageJson.version,
  commands: new Map([
    ["team", async () => (await import("./commands/team.ts")).team],
    ["inbox", async () => (await import("./commands/inbox.ts")).inbox],
    ["messages", async () => (await import("./commands/messages.ts")).messages],
    ["tasks", async () => (await import("./commands/tasks.ts")).tasks],
    ["send", async () => (await import("./commands/send.ts")).send],
  ]),
};

const io: ProgramIo = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),

  async observeTeam(teamDir) {
    const { TeamObserver } = await import("../team/team-observer.ts");
    const { TROUPE_KEY_FILE: keyFile, XDG_STATE_HOME: stateHome } = process.env;
    return TeamObserver.open({
      directory: resolve(teamDir ?? ".team"),
      keyPlace: { keyFile, stateHome, home: homedir() },
      clock: systemClock,
      processes: systemProcesses,
      onWarning: (message) => io.err(`warning: ${message}`),
    });
  },
};

// Whoever reads the output may stop early, as `head` does: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await runProgram(program, process.argv.slice(2), io);
