import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { CommandHooks, type HookOccasion } from "../../src/hooks/command-hooks.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { HostCommandRunner } from "../../src/processes/host-command-runner.ts";
import { OutputFiles } from "../../src/processes/output-files.ts";
import { Pipes } from "../../src/processes/pipes.ts";
import { Programs } from "../../src/processes/programs.ts";
import { RunningCommands } from "../../src/processes/running-commands.ts";
import { lead } from "../../src/protocol/ids.ts";
import { alternate } from "../lib/alternate.ts";
import { formatMs, formatNumber } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, percentile } from "../lib/statistics.ts";

const runs = 200;
const mostSpawns = 2;

/** What a hook that does nothing costs, beside a shell that does nothing. */
export async function measureHooks(directory: string): Promise<Section> {
  await using pipes = openPipes(directory);
  const hooks = new CommandHooks({
    sources: [{ origin: "the benchmark", hooks: { PreToolUse: [{ hooks: [nothing] }] } }],
    report: () => undefined,
  });
  const runner = openRunner(directory, pipes);
  const bare = "`bash -c true`, started by Node";
  const hook = "a `PreToolUse` hook with the command `true`";
  const runHook = () =>
    hooks.run({ ...occasion(directory), runner, signal: new AbortController().signal });
  const names = [bare, hook];
  const figures = await alternate(
    names,
    (name) => timed(name === bare ? bareSpawn : runHook),
    runs,
  );
  const ratio = median(figures(hook)) / median(figures(bare));
  return {
    title: "Hooks",
    about: `${runs} times each, by turns.`,
    table: {
      head: ["", "median", "p95"],
      rows: names.map((name) => [
        name,
        formatMs(median(figures(name))),
        formatMs(percentile(figures(name), 95)),
      ]),
    },
    targets: [
      {
        what: "a hook that does nothing",
        figure: `${formatNumber(ratio)} bare spawns`,
        target: `at most ${mostSpawns} bare spawns`,
        isMet: ratio <= mostSpawns,
      },
    ],
  };
}

const nothing = { type: "command", command: "true" } as const;

function occasion(cwd: string): Pick<HookOccasion, "input" | "names" | "own"> {
  return {
    input: {
      hook_event_name: "PreToolUse",
      ...{ session_id: "team", transcript_path: "lead.jsonl", cwd, permission_mode: "default" },
      ...{ agent_id: lead, agent_type: "lead", tool_name: "Bash", troupe_tool_name: "bash" },
      ...{ tool_use_id: "call", tool_input: { command: "npm test" } },
    },
    names: ["bash", "Bash"],
    own: [],
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function bareSpawn(): Promise<void> {
  await once(spawn("bash", ["-c", "true"], { stdio: "ignore" }), "exit");
}

const programsIn = (directory: string) =>
  new Programs({ path: process.env.PATH, workspace: join(directory, "workspace") });

function openPipes(directory: string): Pipes {
  const programs = programsIn(directory);
  return new Pipes({ directory: join(directory, "pipes"), programs, clock: systemClock });
}

function openRunner(directory: string, pipes: Pipes): HostCommandRunner {
  return new HostCommandRunner({
    cwd: directory,
    environment: { PATH: process.env.PATH ?? "" },
    clock: systemClock,
    outputFiles: new OutputFiles({
      directory: join(directory, "outputs"),
      secrets: new Secrets([]),
    }),
    pipes,
    programs: programsIn(directory),
    running: new RunningCommands(),
    owner: { team: directory, member: lead },
  });
}
