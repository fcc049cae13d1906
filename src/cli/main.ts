#!/usr/bin/env node
import { resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { type Program, type ProgramIo, runProgram } from "./program.ts";
import { oneLine } from "./render/one-line.ts";

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
    const { systemPlace } = await import("../team/system-place.ts");
    const { TeamObserver } = await import("../team/team-observer.ts");
    const directory = resolve(teamDir ?? ".team");
    const onWarning = (message: string) => io.err(oneLine(`warning: ${message}`));
    return TeamObserver.open(systemPlace({ directory, onWarning }));
  },
};

// Whoever reads the output may stop early, as `head` does: that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

process.exitCode = await runProgram(program, process.argv.slice(2), io);
