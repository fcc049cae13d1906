import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { hasErrno } from "../../src/errors.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import type { BackgroundJob } from "../../src/processes/background-jobs.ts";
import { markedCommand } from "../../src/processes/marked-command.ts";
import { newMarker } from "../../src/processes/marker.ts";
import { callTool } from "../../src/testing/call-tool.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { onWord, openShell, plainEnvironment } from "../processes/shell-fixture.ts";
import { runNode } from "../support/programs.ts";

/** Each prints the pid of a process that is hard to end, then `ready`, and goes on. */
const escapes = [
  ["in a session of its own", "setsid sleep 1000 & echo $! ready; wait"],
  ["deaf to SIGTERM", "(trap '' TERM; echo $BASHPID ready; while :; do sleep 1000; done)"],
  ["deaf to SIGHUP", "nohup sleep 1000 >/dev/null 2>&1 & echo $! ready; wait"],
  ["orphaned", "(setsid bash -c 'sleep 1000 & echo $! ready; wait' &); sleep 1000"],
  ["without its environment", "env -i setsid sleep 1000 & echo $! ready; wait"],
  ["stopped", "sleep 1000 & kill -STOP $!; echo $! ready; wait"],
] as const;

const anotherOwner = { team: "another", member: "alice" };

/** What `few-files.ts` prints. */
const FewFiles = z.object({ outputs: z.array(z.string()), lost: z.number() });

test.each(escapes)("an interrupted command leaves no process that is %s", async (_, command) => {
  await using fixture = await openShell();
  const stop = new AbortController();

  const { output } = await fixture.run(command, {
    signal: stop.signal,
    onOutput: onWord("ready", () => stop.abort()),
  });

  expect(await isAlive(pidIn(output))).toBe(false);
});

test.each(escapes)("control: a killed shell leaves the one %s", async (_, command) => {
  const child = spawn("bash", ["-c", command], { detached: true });
  const ready = new Promise<string>((resolve) => {
    let output = "";
    child.stdout.on("data", (data) => {
      output += data;
      if (output.includes("ready")) resolve(output);
    });
  });
  const pid = pidIn(await ready);

  child.kill("SIGKILL");
  await once(child, "exit");

  expect(await isAlive(pid)).toBe(true);
  process.kill(pid, "SIGKILL");
  endGroup(child.pid);
});

test("a process that holds the output open ends with its command, wherever it moved", async () => {
  await using fixture = await openShell();

  const { output, leftovers, exitCode } = await fixture.run("setsid sleep 1000 & echo $! ready");

  expect({ leftovers, exitCode }).toEqual({ leftovers: 1, exitCode: 0 });
  expect(await isAlive(pidIn(output))).toBe(false);
});

/** Each leaves something running that has its own session, writes its pid to `pid`, and ends. */
const daemons = [
  ["in a session of its own", "(setsid bash -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 &)"],
  ["without environment", "env -i setsid -f bash -c 'echo $$ >pid; while true; do sleep 7; done'"],
  [
    "without environment and output",
    "env -i setsid -f bash -c 'echo $$ >pid; exec sleep 1000' </dev/null >/dev/null 2>&1",
  ],
  [
    "forked twice, elsewhere, with all files closed",
    "env -i setsid -f bash -c '(setsid bash -c \"echo \\$\\$ >pid; cd /; exec sleep 1000\" 0<&- 1>&- 2>&- &)'",
  ],
] as const;
const untilBegun = "until [ -s pid ]; do sleep 0.01; done; echo $(cat pid) ready";

test.runIf(process.platform === "linux").each(daemons)(
  "processes that a command leaves running end with it, also %s",
  async (_, daemon) => {
    await using fixture = await openShell();

    const { output, leftovers, exitCode } = await fixture.run(`${daemon}; ${untilBegun}`);

    expect({ isAlive: await isAlive(pidIn(output)), exitCode }).toEqual({
      isAlive: false,
      exitCode: 0,
    });
    expect(leftovers).toBeGreaterThan(0);
  },
);

test.runIf(process.platform === "linux").each(daemons)(
  "a background job ends together with processes it has left running %s",
  async (_, daemon) => {
    await using fixture = await openShell();
    const ended = new Promise<BackgroundJob>((resolve) => fixture.background.onEnd(resolve));

    await fixture.background.start({ command: `${daemon}; ${untilBegun}`, timeoutMs: undefined });

    expect(await isAlive(pidIn((await ended).output))).toBe(false);
  },
);

test.each(daemons)("control: a plain shell leaves processes running %s", async (_, daemon) => {
  await using directory = await temporaryDirectory();
  const { stdout } = spawn("bash", ["-c", `${daemon}; ${untilBegun}`], {
    cwd: directory.path,
    detached: true,
    // What holds the output of a shell open would keep its reader waiting.
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = await new Promise<number>((resolve) => {
    stdout.on("data", (data) => resolve(pidIn(String(data))));
  });

  expect(await isAlive(pid)).toBe(true);
  process.kill(pid, "SIGKILL");
});

test("processes that look like leftovers but belong to another command, or to none, keep running", async () => {
  await using fixture = await openShell();
  const environment = { ...plainEnvironment(), TROUPE_CALL: newMarker(anotherOwner) };
  const { argv } = markedCommand({
    shell: "bash",
    argv: ["bash", "-c", "exec sleep 1000"],
    name: "bash",
    environment,
    marker: newMarker(anotherOwner),
  });
  const options = { env: environment, detached: true, stdio: "ignore" } as const;
  // Both begin while the command runs, and have pids that follow its own.
  const strangers: ChildProcess[] = [];
  const begin = () => {
    strangers.push(spawn("bash", argv, options), spawn("sleep", ["1000"], options));
    writeFileSync(join(fixture.directory, "begun"), "");
  };

  const { leftovers } = await fixture.run(
    "echo ready; until [ -e begun ]; do sleep 0.01; done; (setsid sleep 1000 &)",
    { onOutput: onWord("ready", begin) },
  );

  expect(leftovers).toBe(1);
  for (const stranger of strangers) {
    expect(await isAlive(stranger.pid ?? 0)).toBe(true);
    stranger.kill("SIGKILL");
  }
});

test("a command that keeps forking new processes is ended like any other", async () => {
  await using fixture = await openShell();
  const stop = new AbortController();
  // It ends by itself when the directory is removed, should nothing else end it.
  const hop = "echo $$ >last; [ -e hop.sh ] && bash hop.sh & exit";

  await fixture.run(`printf '%s' '${hop}' >hop.sh; bash hop.sh; echo ready; sleep 1000`, {
    signal: stop.signal,
    onOutput: onWord("ready", () => stop.abort()),
  });

  const { output: last } = await fixture.run("cat last");
  await fixture.run("for i in 1 2 3 4 5; do bash -c :; done");
  expect((await fixture.run("cat last")).output).toBe(last);
});

test("1 GB of output does not use more memory", async () => {
  expect(await growthMegabytes("capped", "yes | head -c 1G")).toBeLessThan(100);
});

test("10 MB in one line are cut like any other output", async () => {
  await using fixture = await openShell();

  const { output } = await fixture.run("head -c 10M /dev/zero | tr '\\0' x");

  expect(output).toMatch(/^x{20000}\n\n… 10436760 characters left out of 1 line; .*\n\nx{29000}$/);
});

test("control: a program that collects its output grows with it", async () => {
  expect(await growthMegabytes("collected", "yes | head -c 300M")).toBeGreaterThan(200);
});

test("200 commands at once all run, and each has its own output", async () => {
  await using fixture = await openShell();
  const numbers = Array.from({ length: 200 }, (_, index) => index);

  const ends = await Promise.all(numbers.map((it) => fixture.run(`echo ${it}; exit ${it % 5}`)));

  expect(ends.map(({ output }) => output)).toEqual(numbers.map((it) => `${it}\n`));
  expect(ends.map(({ exitCode }) => exitCode)).toEqual(numbers.map((it) => it % 5));
});

test("a command that does not end blocks no other", async () => {
  await using fixture = await openShell();
  const stop = new AbortController();
  const long = fixture.run("sleep 1000", { signal: stop.signal });

  expect(await fixture.run("echo hi")).toMatchObject({ output: "hi\n" });

  stop.abort();
  expect(await long).toMatchObject({ ending: "aborted" });
});

test.each([
  ["commands", "bash", /no room for another process/],
  ["searches", "grep", /too many files are open|could not be started .* try again\.$/],
])(
  "without descriptors %s are refused with a hint, none is lost, and work continues",
  async (_, tool, advice) => {
    const { outputs, lost } = FewFiles.parse(await runWithFewFiles("few-files.ts", tool));

    const refusals = outputs.filter((output) => advice.test(output));
    const successes = outputs.filter((output) => output === "ran");
    expect(refusals.length).toBeGreaterThan(0);
    expect(successes.length).toBeGreaterThan(0);
    expect(refusals.length + successes.length).toBe(41);
    expect(outputs.at(-1)).toBe("ran");
    expect(lost).toBe(0);
  },
);

test("without descriptors a command still ends when it is interrupted", async () => {
  expect(await runWithFewFiles("interrupt-without-files.ts")).toEqual({
    ending: "aborted",
    isAlive: false,
  });
});

test.each([
  ["a NUL byte", { command: "echo a\0b" }, "cannot contain a NUL byte"],
  ["a megabyte", { command: `: ${"x".repeat(2 ** 20)}` }, "Put it into a file with write_file"],
])("a command with %s is refused with a hint", async (_, input, remedy) => {
  await using fixture = await openShell();

  expect(await callTool(bashTool(fixture), input)).toEqual({
    isError: true,
    text: expect.stringContaining(remedy),
  });
});

test.each([
  ["a working directory", { cwd: "/nowhere/at/all" }, "/nowhere/at/all is missing"],
  ["bash", { environment: { PATH: "/nowhere" } }, "Check that bash and mkfifo are in the PATH"],
])("without %s a command is refused with a hint", async (_, options, remedy) => {
  await using fixture = await openShell({ environment: plainEnvironment(), ...options });

  expect(await callTool(bashTool(fixture), { command: "true" })).toEqual({
    isError: true,
    text: expect.stringContaining(remedy),
  });
});

/** What a program prints that may open 256 files. */
async function runWithFewFiles(name: string, ...argv: readonly string[]): Promise<unknown> {
  const program = fileURLToPath(new URL(`../processes/programs/${name}`, import.meta.url));
  const limited = ["-c", 'ulimit -n 256; exec "$@"', "bash", process.execPath];
  const child = spawn("bash", [...limited, "--import", "tsx", program, ...argv], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await text(child.stdout));
}

function pidIn(output: string): number {
  const [, pid] = /(\d+) ready/.exec(output) ?? [];
  if (!pid) throw new Error(`No pid in ${JSON.stringify(output)}`);
  return Number(pid);
}

async function isAlive(pid: number): Promise<boolean> {
  return (await systemProcesses.startOf(pid)) !== undefined;
}

function endGroup(group: number | undefined): void {
  try {
    if (group !== undefined) process.kill(-group, "SIGKILL");
  } catch (error) {
    if (!hasErrno(error, "ESRCH")) throw error;
  }
}

async function growthMegabytes(way: string, command: string): Promise<number> {
  const program = fileURLToPath(new URL("../processes/programs/big-output.ts", import.meta.url));
  const { code, out, err } = await runNode(["--import", "tsx", program, way, command]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return Number(out);
}
