import { join } from "node:path";
import { describe, expect } from "vitest";
import {
  type CommandEnd,
  type CommandRequest,
  type CommandRunner,
  runCommand,
} from "../../processes/command-runner.ts";
import { testWith } from "./test-with.ts";

/** A runner for the commands of one member. */
export interface CommandRunnerFixture extends AsyncDisposable {
  readonly runner: CommandRunner;
  /** The directory in which its commands start and may write. */
  readonly directory: string;
}

/** The promises in command-runner.ts, one test each. */
export function testCommandRunner(name: string, open: () => Promise<CommandRunnerFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the promises of a command runner`, () => {
    test("a command starts in its directory, and its output and errors arrive in order", async (fixture) => {
      const end = await run(fixture, "pwd; echo one; echo two >&2; echo three; exit 3");

      expect(end).toMatchObject({ ending: "exited", exitCode: 3 });
      expect(end.output).toBe(`${fixture.directory}\none\ntwo\nthree\n`);
    });

    test("a command's standard input is empty", async (fixture) => {
      expect(await run(fixture, "cat; echo read")).toMatchObject({ output: "read\n" });
    });

    test("a command with `io` reads its input, and of its output and its errors the beginning of each is kept", async (fixture) => {
      const io = { input: "given\n", maxCharacters: 8 };

      const end = await run(fixture, "cat; echo and more; echo problem >&2", { io });

      expect(end).toMatchObject({ output: "given\nan", errors: "problem\n" });
    });

    test("a command that has more processes than it may is ended with all of them", async (fixture) => {
      const many = "for i in 1 2 3 4 5 6 7 8; do setsid sleep 1000 & done; wait";

      const end = await run(fixture, many, { maxProcesses: 4 });

      expect(end).toMatchObject({ ending: "crowded", leftovers: 0 });
    });

    test("output is passed on as it arrives", async (fixture) => {
      const stop = new AbortController();

      const end = await run(fixture, "echo first; exec sleep 1000", {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      });

      expect(end).toMatchObject({ ending: "aborted", output: "first\n" });
    });

    test("a command that exceeds its timeout is ended", async (fixture) => {
      const end = await run(fixture, "exec sleep 1000", { timeoutMs: 50 });

      expect(end).toMatchObject({ ending: "timeout", timeoutMs: 50 });
    });

    test("no process of a command is left after its end", async (fixture) => {
      const daemon = "setsid -f bash -c 'while :; do date +%N >alive; sleep 0.02; done' >/dev/null";

      await run(fixture, `${daemon} 2>&1; until [ -s alive ]; do sleep 0.01; done`);

      const { output } = await run(fixture, "cat alive; sleep 0.2; cat alive");
      const [before, after] = output.split("\n");
      expect(after).toBe(before);
    });

    test("a command that cannot be started reports what to do about it", async ({ runner }) => {
      const end = await runCommand(runner, { ...defaults(), command: "echo a\0b" });

      expect(end).toEqual({ type: "not-started", problem: expect.stringMatching(/NUL/) });
    });

    test("a program's output is unchanged, with no environment", async ({ directory, runner }) => {
      const chunks: Buffer[] = [];

      const { signal } = new AbortController();
      const onOutput = (chunk: Buffer) => chunks.push(chunk) > 0;
      const request = { cwd: directory, signal, onOutput };

      await runner.runProgram({ ...request, path: "/usr/bin/env", arguments: [] });
      const end = await runner.runProgram({
        ...request,
        path: "/usr/bin/printf",
        arguments: ["a\\0b\\n"],
      });

      expect(end).toEqual({ type: "ended", errors: "" });
      expect(Buffer.concat(chunks).toString()).toBe("a\0b\n");
    });

    test("a program ends on enough output or an abort", async ({ directory, runner }) => {
      const stop = new AbortController();
      const request = { path: "/usr/bin/yes", arguments: [], cwd: directory };
      const { signal } = new AbortController();

      const enough = runner.runProgram({ ...request, signal, onOutput: () => false });
      const aborted = runner.runProgram({
        ...request,
        signal: stop.signal,
        onOutput() {
          stop.abort();
          return true;
        },
      });
      const path = join(directory, "missing");
      const missing = runner.runProgram({ ...request, path, signal, onOutput: () => true });

      expect(await enough).toMatchObject({ type: "ended" });
      expect(await aborted).toEqual({ type: "aborted" });
      expect(await missing).toMatchObject({
        type: "not-started",
        problem: expect.stringContaining("ENOENT"),
      });
    });
  });
}

function defaults(): Omit<CommandRequest, "command"> {
  const { signal } = new AbortController();
  return { name: "call-1", timeoutMs: undefined, signal, onOutput: () => undefined };
}

async function run(
  { runner }: CommandRunnerFixture,
  command: string,
  request: Partial<CommandRequest> = {},
): Promise<CommandEnd> {
  const end = await runCommand(runner, { ...defaults(), command, ...request });
  if (end.type === "not-started") throw new Error(end.problem);
  return end;
}
