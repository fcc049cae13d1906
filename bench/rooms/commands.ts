import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Programs } from "../../src/processes/programs.ts";
import { TeamSandbox } from "../../src/team/team-sandbox.ts";
import { openShell } from "../../test/processes/shell-fixture.ts";
import { alice } from "../../test/support/landings.ts";
import { makeRepository } from "../../test/support/repository.ts";
import { teamPlace } from "../../test/support/team.ts";
import { alternate } from "../lib/alternate.ts";
import { formatMs, formatNumber } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median, percentile } from "../lib/statistics.ts";

const commands = 60;
const command = "true";

/** What the sandbox adds to a command. */
export async function measureCommands(directory: string): Promise<Section> {
  const workspace = await makeRepository(join(directory, "commands"));
  const environment = { PATH: process.env.PATH ?? "", HOME: directory };
  const place = teamPlace(directory);
  await using sandbox = new TeamSandbox({
    options: { mode: "required" },
    place,
    programs: new Programs({ path: environment.PATH, workspace }),
    teamId: async () => "bench",
  });
  await using bare = await openShell({ cwd: workspace, environment });
  await using confined = await openShell({
    ...{ cwd: workspace, environment },
    sandbox: () => sandbox.of(alice, { workspace }),
  });
  const kinds = {
    "bash by Node alone": () => spawnAlone(workspace),
    "by Troupe, without a sandbox": () => bare.run(command),
    "by Troupe, in the sandbox": () => confined.run(command),
  };
  const names = Object.keys(kinds) as (keyof typeof kinds)[];
  const timesOf = await alternate(names, (name) => timed(kinds[name]), commands);
  const [without, within] = [
    median(timesOf("by Troupe, without a sandbox")),
    median(timesOf("by Troupe, in the sandbox")),
  ];
  return {
    title: "A command in the sandbox",
    about: `\`bash -c ${command}\`, ${commands} times each, in turns. The sandbox is the one of a member in a shared directory without network.`,
    table: {
      head: ["", "median", "95 of 100 within"],
      rows: names.map((name) => [
        name,
        formatMs(median(timesOf(name))),
        formatMs(percentile(timesOf(name), 0.95)),
      ]),
    },
    targets: [
      {
        what: "a command in the sandbox / without it",
        figure: formatNumber(within / without),
        target: "≤ 4",
        isMet: within / without <= 4,
      },
      {
        what: "what the sandbox adds to a command",
        figure: formatMs(within - without),
        target: "≤ 20 ms",
        isMet: within - without <= 20,
      },
    ],
  };
}

async function spawnAlone(cwd: string): Promise<void> {
  await once(spawn("bash", ["-c", command], { cwd, stdio: "ignore" }), "close");
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
