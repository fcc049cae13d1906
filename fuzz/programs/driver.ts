/**
 * Runs lines inside the sandbox, one after the other, and tells what each of them did. It is given
 * lines and answers in JSON, one a line, and restores the world whenever it was changed.
 */
import { createSocket } from "node:dgram";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { z } from "zod";
import { hasErrno } from "../../src/errors.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { childEnvironment, Secrets } from "../../src/lib/secrets.ts";
import { wait } from "../../src/lib/wait.ts";
import { providerKeyNames } from "../../src/model/provider-settings.ts";
import { commandEnvironment } from "../../src/permissions/command-environment.ts";
import { runCommand } from "../../src/processes/command-runner.ts";
import { HostCommandRunner } from "../../src/processes/host-command-runner.ts";
import { OutputFiles } from "../../src/processes/output-files.ts";
import { Pipes } from "../../src/processes/pipes.ts";
import { Programs } from "../../src/processes/programs.ts";
import { RunningCommands } from "../../src/processes/running-commands.ts";
import { type Effects, Line, ports } from "../effects.ts";
import { WatchedTree } from "../watched-tree.ts";

const { root, pristine, timeoutMs } = z
  .object({ root: z.string(), pristine: z.string(), timeoutMs: z.number() })
  .parse(JSON.parse(process.argv[2] ?? ""));

/** The environment of members; the keys are not masked here, so that they can be detected. */
const environment = commandEnvironment(
  childEnvironment(process.env, { names: providerKeyNames(), secrets: new Secrets([]) }),
);
const outputFiles = new OutputFiles({ directory: "/run/outputs", secrets: new Secrets([]) });
const cwd = `${root}/project`;
const installed = new Programs({ path: environment.PATH, workspace: cwd });
const runner = new HostCommandRunner({
  cwd,
  environment,
  clock: systemClock,
  outputFiles,
  pipes: new Pipes({ directory: "/run/pipes", programs: installed, clock: systemClock }),
  programs: installed,
  running: new RunningCommands(),
  owner: { team: "the fuzzer", member: "lead" },
});

let calls: string[] = [];
createServer((socket) => {
  calls.push("tcp");
  socket.destroy();
}).listen(ports.tcp);
for (const port of ports.udp) createSocket("udp4", () => calls.push("udp")).bind(port);

const tree = new WatchedTree({ root, pristine });
tree.restore();
const usual = new Set(readdirSync("/tmp"));

/** Processes that the line has left running, which are then killed. */
async function leftProcesses(): Promise<string[]> {
  let left = strangers();
  // Processes that are about to end get a moment to do so.
  for (let round = 0; round < 10 && left.length > 0; round++) {
    await wait(systemClock, 20);
    left = strangers();
  }
  for (const pid of left) kill(pid);
  return left.map(String);
}

function strangers(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== 1 && pid !== process.pid && isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ESRCH")) return false;
    throw error;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!hasErrno(error, "ESRCH")) throw error;
  }
}

/** Files that were left in the directory for temporary files. */
function leftTemporaries(): string[] {
  // Java always writes statistics about itself there.
  const left = readdirSync("/tmp").filter((name) => !usual.has(name) && !/^hsperf/.test(name));
  for (const name of left) rmSync(`/tmp/${name}`, { recursive: true, force: true });
  return left.map((name) => `/tmp/${name}`);
}

async function run(line: string): Promise<Effects> {
  let output = "";
  const end = await runCommand(runner, {
    command: line,
    name: "call",
    timeoutMs,
    signal: new AbortController().signal,
    onOutput: (text) => {
      output += text;
    },
  });
  // Otherwise nothing would run, and nothing would be found.
  if (end.type !== "ended") throw new Error(end.problem);
  const processes = await leftProcesses();
  // Connections are reported by events.
  await new Promise((resolve) => setImmediate(resolve));
  const changes = tree.changes();
  const read = tree.reads();
  if (changes.length > 0) tree.restore(changes);
  const effects = {
    written: [...changes, ...leftTemporaries()],
    read,
    processes,
    calls,
    output: output.slice(0, 20_000),
    end: end.ending,
  };
  calls = [];
  return effects;
}

console.log(JSON.stringify({ ready: true }));
for await (const text of createInterface({ input: process.stdin })) {
  const { line } = Line.parse(JSON.parse(text));
  console.log(JSON.stringify(await run(line)));
}
process.exit();
