import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/lib/clock.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { type CommandOwner, isMarkerOf, isMarkerOfTeam } from "../../src/processes/marker.ts";
import { endOrphans, type OrphanOptions } from "../../src/processes/orphans.ts";
import { RunningCommands } from "../../src/processes/running-commands.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { openShell } from "../processes/shell-fixture.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

/** What `begin-commands.ts` prints: the pids of what it has started. */
const Begun = z.object({ job: z.number(), shell: z.number(), escaped: z.number() });

/** What a process has started that has then ended, in whatever way. */
class Estate implements AsyncDisposable {
  readonly owner: CommandOwner;
  readonly job: number;
  readonly shell: number;
  readonly escaped: number;

  private constructor(owner: CommandOwner, { job, shell, escaped }: z.infer<typeof Begun>) {
    this.owner = owner;
    this.job = job;
    this.shell = shell;
    this.escaped = escaped;
  }

  static async of(
    way: "kill" | "exit" | "kill-all",
    team = `/a path/with:colons/${randomUUID()}`,
    member = "alice",
  ): Promise<Estate> {
    await using directory = await temporaryDirectory();
    const owner = { team, member };
    const program = [programPath("begin-commands.ts"), team, member, way === "kill" ? "stay" : way];
    const child = spawn(process.execPath, ["--import", "tsx", ...program], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: directory.path },
    });
    const output = text(child.stdout);
    if (way === "kill") child.stdout.once("data", () => child.kill("SIGKILL"));
    await once(child, "exit");
    return new Estate(owner, Begun.parse(JSON.parse(await output)));
  }

  async living(): Promise<string[]> {
    const { job, shell, escaped } = this;
    const living = [];
    for (const [name, pid] of Object.entries({ job, shell, escaped })) {
      if ((await systemProcesses.startOf(pid)) !== undefined) living.push(name);
    }
    return living;
  }

  endOrphans(options: Partial<OrphanOptions> = {}): Promise<number> {
    const running = new RunningCommands();
    const isOrphan = (marker: string) => isMarkerOf(marker, this.owner);
    return endOrphans({ isOrphan, running, clock: systemClock, ...options });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endOrphans();
    // Where the search is broken, the test must not leave it behind.
    if ((await this.living()).includes("escaped")) process.kill(this.escaped, "SIGKILL");
  }
}

test("the commands of a killed process keep running until a later one ends them", async () => {
  await using estate = await Estate.of("kill");
  // The control: nothing else ends them.
  expect(await estate.living()).toEqual(["job", "shell", "escaped"]);

  expect(await estate.endOrphans()).toBe(3);

  expect(await estate.living()).toEqual([]);
  expect(await estate.endOrphans()).toBe(0);
});

test("only the commands of the owner are ended", async () => {
  await using estate = await Estate.of("kill");
  const { team } = estate.owner;
  const isAnothers = (marker: string) => isMarkerOf(marker, { team, member: "bob" });
  const isAnotherTeams = (marker: string) => isMarkerOfTeam(marker, `${team}2`);

  expect(await estate.endOrphans({ isOrphan: isAnothers })).toBe(0);
  expect(await estate.endOrphans({ isOrphan: isAnotherTeams })).toBe(0);
  expect(await estate.living()).toEqual(["job", "shell", "escaped"]);

  expect(await estate.endOrphans({ isOrphan: (marker) => isMarkerOfTeam(marker, team) })).toBe(3);
});

test("a fresh start ends what commands of the archived team have left running", async () => {
  await using wire = await TeamOnWire.start({});
  await using estate = await Estate.of("kill", join(wire.root, ".team"));

  await (await wire.open({ fresh: true })).close();

  expect(await estate.living()).toEqual([]);
  expect(wire.warnings).toEqual([
    "3 processes were still running from the team's commands when Troupe was last killed, and were ended now.",
  ]);
});

test("a start with hooks ends what a hook has left running between runs", async () => {
  await using wire = await TeamOnWire.start({});
  await using estate = await Estate.of("kill", join(wire.root, ".team"), "lead");
  // The control: nothing looks for it without hooks.
  await (await wire.open()).close();
  expect(await estate.living()).toEqual(["job", "shell", "escaped"]);

  await (await wire.open({ commandHooks: [{ origin: "the test", hooks: {} }] })).close();

  expect(await estate.living()).toEqual([]);
});

test("commands of this process itself are no orphans", async () => {
  const owner = { team: randomUUID(), member: "alice" };
  await using fixture = await openShell({ owner });
  const isOrphan: OrphanOptions["isOrphan"] = (marker) => isMarkerOf(marker, owner);
  const options = { isOrphan, clock: systemClock };
  const job = await fixture.background.start({ command: "sleep 1000", timeoutMs: undefined });
  if ("problem" in job) throw new Error(job.problem);

  expect(await endOrphans({ ...options, running: fixture.running })).toBe(0);
  expect(fixture.background.list().find(({ id }) => id === job.id)?.status).toBe("running");

  // The control: where it is not known to run, it is one.
  expect(await endOrphans({ ...options, running: new RunningCommands() })).toBe(1);
});

test("a process that was started by an orphan does not end itself", async () => {
  const team = randomUUID();
  const owner = { team, member: "alice" };
  await using fixture = await openShell({ owner, cwd: process.cwd() });
  const program = [process.execPath, "--import", "tsx", programPath("end-orphans.ts"), team];

  const inside = await fixture.run(program.map((word) => `'${word}'`).join(" "), {
    name: "troupe run",
  });

  expect(inside).toMatchObject({ exitCode: 0, output: "0\n" });
});

test("a process that exits at once can take its commands with it", async () => {
  await using estate = await Estate.of("kill-all");

  await expect.poll(() => estate.living()).toEqual([]);
});

test("control: a process that merely exits leaves them", async () => {
  await using estate = await Estate.of("exit");

  expect(await estate.living()).toEqual(["job", "shell", "escaped"]);
});

function programPath(name: string): string {
  return fileURLToPath(new URL(`../processes/programs/${name}`, import.meta.url));
}
