import { expect, test } from "vitest";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import type { BackgroundJob, BackgroundJobs } from "../../src/processes/background-jobs.ts";
import { openShell } from "./shell-fixture.ts";

async function start(background: BackgroundJobs, command: string): Promise<BackgroundJob> {
  const job = await background.start({ command, timeoutMs: undefined });
  if ("problem" in job) throw new Error(job.problem);
  return job;
}

function nextEnd(background: BackgroundJobs): Promise<BackgroundJob> {
  return new Promise((resolve) => background.onEnd(resolve));
}

test("a job's end is reported once, with its status and output", async () => {
  await using fixture = await openShell();
  const ended: BackgroundJob[] = [];
  fixture.background.onEnd((job) => ended.push(job));
  const end = nextEnd(fixture.background);

  const { id } = await start(fixture.background, "echo done; exit 3");
  await end;
  await fixture.background.stop(id);

  expect(ended).toMatchObject([{ id, status: "failed", output: "done\n(exit 3)" }]);
  expect(fixture.background.list().find((job) => job.id === id)).toEqual(ended[0]);
});

test("a running job shows its output so far, and its pid", async () => {
  await using fixture = await openShell();

  const { id, pid } = await start(fixture.background, "echo so far; sleep 1000");

  await expect
    .poll(() => fixture.background.list().find((job) => job.id === id)?.output)
    .toBe("so far\n");
  expect(fixture.background.list()).toMatchObject([{ id, status: "running" }]);
  expect(await systemProcesses.startOf(pid)).toBeDefined();
});

test("a secret in a job's command is masked wherever the job is shown", async () => {
  const key = "sk-canary-0123456789";
  await using fixture = await openShell({ secrets: new Secrets([key]) });
  const end = nextEnd(fixture.background);

  const started = await start(fixture.background, `test ${key} = sk-''canary-0123456789`);

  const jobs = [started, await end, ...fixture.background.list()];
  for (const { command } of jobs) expect(command).toBe("test [key] = sk-''canary-0123456789");
  // It was run as it was given.
  expect(jobs.at(-1)?.status).toBe("completed");
});

test("a stopped job ends with all processes it had started", async () => {
  await using fixture = await openShell();
  const job = await start(fixture.background, "setsid sleep 1000 & echo $!; wait");
  await expect
    .poll(() => fixture.background.list().find(({ id }) => id === job.id)?.output)
    .toMatch(/\d+\n/);
  const child = Number(fixture.background.list().find(({ id }) => id === job.id)?.output);

  await fixture.background.stop(job.id);

  expect(fixture.background.list().find(({ id }) => id === job.id)?.status).toBe("stopped");
  expect(await systemProcesses.startOf(job.pid)).toBeUndefined();
  expect(await systemProcesses.startOf(child)).toBeUndefined();
});

test("the jobs of a member end with it", async () => {
  const pids: number[] = [];
  {
    await using fixture = await openShell();
    for (let i = 0; i < 3; i++) {
      pids.push((await start(fixture.background, "sleep 1000")).pid);
    }
    // The control: they do not end by themselves.
    for (const pid of pids) expect(await systemProcesses.startOf(pid)).toBeDefined();
  }

  for (const pid of pids) expect(await systemProcesses.startOf(pid)).toBeUndefined();
});

test("the number of running jobs and of remembered ended ones is limited", async () => {
  await using fixture = await openShell();
  const { background } = fixture;
  const request = { command: "sleep 1000", timeoutMs: undefined };
  for (let i = 0; i < 32; i++) await start(background, "sleep 1000");

  expect(await background.start(request)).toMatchObject({ type: "not-started" });
  await Promise.all(background.list().map(({ id }) => background.stop(id)));
  const end = nextEnd(background);
  const { id } = await start(background, "true");
  await end;

  expect(background.list()).toHaveLength(32);
  expect(background.list().at(-1)?.id).toBe(id);
});
