import { expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { callTool } from "../../src/testing/call-tool.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { bashTool } from "../../src/tools/bash.ts";
import { onWord, openShell } from "../processes/shell-fixture.ts";

test.each([
  ["echo out; echo err >&2", { text: "out\nerr", isError: false }],
  ["true", { text: "(no output)", isError: false }],
  ["echo", { text: "(no output)", isError: false }],
  ["printf 'no newline'; exit 7", { text: "no newline\n(exit 7)", isError: true }],
  ["false", { text: "(no output)\n(exit 1)", isError: true }],
  ["echo before; kill -SEGV $$", { text: "before\n(killed by SIGSEGV)", isError: true }],
])("%s returns its output unchanged, and how it ended", async (command, expected) => {
  await using fixture = await openShell();

  expect(await callTool(bashTool(fixture), { command })).toEqual(expected);
});

test("a command that exceeds its timeout is ended, and its output so far is returned", async () => {
  const manual = new ManualClock();
  await using fixture = await openShell({ clock: withManualTimeouts(manual) });
  const timeOut = () => manual.advance(120_000);

  const output = await callTool(
    bashTool(fixture),
    { command: "echo ready; sleep 1000" },
    { onOutput: onWord("ready", timeOut) },
  );

  expect(output).toEqual({ text: "ready\nError: Timeout (120s)", isError: true });
});

test("a timeout in the call is used, and without output only the timeout is returned", async () => {
  await using fixture = await openShell();

  const output = await callTool(bashTool(fixture), { command: "sleep 1000", timeout_s: 0.1 });

  expect(output).toEqual({ text: "Error: Timeout (0.1s)", isError: true });
});

test("an interrupted command says so", async () => {
  await using fixture = await openShell();
  const stop = new AbortController();

  const output = await callTool(
    bashTool(fixture),
    { command: "echo ready; sleep 1000" },
    { signal: stop.signal, onOutput: onWord("ready", () => stop.abort()) },
  );

  expect(output).toMatchObject({ isError: true });
  expect(output.text).toMatch(/^ready\nError: Interrupted/);
});

test("processes that a command leaves running are ended, with a hint", async () => {
  await using fixture = await openShell();

  const output = await callTool(bashTool(fixture), { command: "sleep 1000 & echo started" });

  expect(output.text).toMatch(/^started\n\(1 process was still running .* background_run/);
  expect(output.isError).toBe(false);
});

test("with run_in_background the call returns at once", async () => {
  await using fixture = await openShell();
  const command = "sleep 1000";

  const output = await callTool(bashTool(fixture), { command, run_in_background: true });

  const [job] = fixture.background.list();
  expect(output.text).toBe(`Background task ${job?.id} started: sleep 1000`);
  expect(job?.status).toBe("running");
});

test.each([
  [{}],
  [{ command: 1 }],
  [{ command: "true", run_in_background: "false" }],
  [{ command: "true", timeout_s: 0 }],
  [{ command: "true", timeout_s: 3601 }],
])("%j is refused with the reason", async (input) => {
  await using fixture = await openShell();

  expect(await callTool(bashTool(fixture), input)).toMatchObject({
    isError: true,
    text: expect.stringContaining("Invalid input for bash: "),
  });
});

test("the person decides on the command itself", async () => {
  await using fixture = await openShell();

  expect(bashTool(fixture).prepare({ command: "ls", msg_type: "x" })).toMatchObject({
    action: { type: "command", command: "ls" },
  });
});

test("the tool takes little space in a request", async () => {
  await using fixture = await openShell();

  expect(JSON.stringify(bashTool(fixture).spec).length).toBeLessThanOrEqual(350);
});

/** Long delays pass when the test says so; the short ones between a command's end and its result do by themselves. */
function withManualTimeouts(manual: ManualClock): Clock {
  return {
    ...systemClock,
    schedule: (delayMs, run) => (delayMs >= 60_000 ? manual : systemClock).schedule(delayMs, run),
  };
}
