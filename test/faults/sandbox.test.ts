import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { Random } from "../../soak/random.ts";
import { orNothing } from "../../src/lib/or-nothing.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { openSandboxed } from "../sandbox/sandboxed-shell.ts";
import { noSandbox } from "../support/no-sandbox.ts";

/** How many processes have a text in their command line. */
async function processesWith(text: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")),
  );
  return lines.filter((line) => line.includes(text)).length;
}

/** Commands that are interrupted in their first 40 ms, and how many processes of them were left then. */
async function interrupted({ count, seed }: { count: number; seed: number }): Promise<number> {
  const random = new Random(seed);
  await using fixture = await openSandboxed();
  // The network of all of them.
  await fixture.run("true");
  const word = `interrupted-${seed}-${process.pid}`;
  const one = async (index: number) => {
    const interruption = new AbortController();
    const command = `setsid -f bash -c 'sleep 1000; : ${word}'; sleep 1000; : ${word}`;
    const running = await fixture.runner.start({
      ...{ command, name: `call-${index}`, timeoutMs: undefined, onOutput: () => undefined },
      signal: interruption.signal,
    });
    // The moment is what varies; nothing is expected of it.
    await setTimeout(random.below(40));
    interruption.abort();
    if (running.type === "running") await running.ended;
  };
  for (let begun = 0; begun < count; begun += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => one(begun + index)));
  }
  return processesWith(word);
}

describe.skipIf(noSandbox)("commands in the sandbox", () => {
  const seed = Number(process.env.TROUPE_SEED ?? Math.floor(Math.random() * 1_000_000));

  test(`leave nothing behind, at whatever moment they are interrupted (seed ${seed})`, async () => {
    expect(await interrupted({ count: 50, seed })).toBe(0);
  });

  test("control: a process that is left is counted", async () => {
    const left = spawn("bash", ["-c", "read; : left-by-a-test"], {
      stdio: ["pipe", "ignore", "ignore"],
    });

    expect(await processesWith("left-by-a-test")).toBe(1);
    left.stdin.end();
    await once(left, "exit");
  });

  test("end when Troupe is killed, and leave no file in the workspace", async () => {
    await using directory = await temporaryDirectory();
    const workspace = join(directory.path, "work");
    await mkdir(workspace);
    const word = `killed-${process.pid}`;
    const program = fileURLToPath(new URL("programs/confined-command.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", program, workspace, word], {
      ...{ stdio: ["ignore", "pipe", "inherit"] as const },
      env: { ...process.env, TMPDIR: directory.path },
    });
    await once(child.stdout, "data");
    const running = await processesWith(word);
    const during = await readdir(workspace);

    child.kill("SIGKILL");
    await once(child, "exit");

    expect(running).toBeGreaterThan(6);
    await expect.poll(() => processesWith(word)).toBe(0);
    expect(during).toEqual([]);
    expect(await readdir(workspace)).toEqual([]);
  });

  test("are 200 at once, each with its own output, and leave no file in the workspace", async () => {
    await using fixture = await openSandboxed();

    const ends = await Promise.all(
      Array.from({ length: 200 }, (_, index) => fixture.run(`ls -A; echo ${index}`)),
    );

    expect(ends.map(({ output }) => output)).toEqual(
      Array.from({ length: 200 }, (_, index) => `.git\n${index}\n`),
    );
    expect(await readdir(fixture.workspace)).toEqual([".git"]);
  });

  test("get no descriptor but their input and output, whatever Troupe has open", async () => {
    await using fixture = await openSandboxed();

    // The first process is bubblewrap's own, with an event that only it knows.
    const { output } = await fixture.run(
      "readlink /proc/self/fd/* /proc/1/fd/* > /tmp/fds; grep -v -e /dev/null -e '\\.pipe (deleted)$' -e /tmp/fds -e eventfd /tmp/fds",
    );

    expect(output).toBe("");
  });
});

test.skipIf(noSandbox)("whatever a command says of it, it is known whether it ran", async () => {
  await using fixture = await openSandboxed();
  const lie =
    'for each in /proc/1/fd/*; do echo "{\\"exit-code\\": 0}" > "$each"; echo ".git" > "$each"; done 2>/dev/null; exit 7';

  expect(await fixture.run(lie)).toMatchObject({ ending: "exited", exitCode: 7 });
  expect(await orNothing(readFile(join(fixture.workspace, ".git/HEAD"), "utf8"), "")).not.toBe("");
});
