import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { listProcesses } from "../../../src/processes/process-list.ts";
import { calls, says } from "../../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../../support/team-on-wire.ts";
import { resultsIn } from "./scenes.ts";

const server = resolve("test/support/faulty-mcp-server.mjs");

/** Starts the real program, with servers in the settings of its person. */
function troupe(wire: TeamOnWire, prompt: string): ChildProcess {
  const argv = ["dist/cli/main.js", "run", prompt, "--cwd", wire.root, "--allow", "mcp__bad__*"];
  const environment = { XDG_CONFIG_HOME: join(wire.root, "config"), HOME: wire.root };
  const env = { ...wire.environment, ...environment, XDG_STATE_HOME: join(wire.root, "state") };
  return spawn(process.execPath, [...argv, "--model", "anthropic/scripted", "--sandbox", "off"], {
    stdio: "ignore",
    env,
  });
}

async function configure(wire: TeamOnWire, fault: string, log: string): Promise<void> {
  const bad = { command: process.execPath, args: [server, fault, log] };
  const directory = join(wire.root, "config", "troupe");
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "config.json"), JSON.stringify({ mcpServers: { bad } }));
}

/** Resolves when the server has been called. */
async function called(log: string): Promise<void> {
  const isCalled = async () => (await readFile(log, "utf8")) !== "";
  const changes = watch(log);
  while (!(await isCalled())) await once(changes, "change");
  changes.close();
}

test("P31 P08 a call that a kill -9 cuts short is reported as unknown, run once, and its server is ended", async () => {
  await using wire = await TeamOnWire.start({
    lead: [
      calls("mcp_call", { tool: "mcp__bad__say", input: { text: "one" } }),
      says("The outcome is unknown."),
    ],
  });
  const log = join(wire.root, "calls.log");
  await writeFile(log, "");
  await configure(wire, "hangs", log);
  const first = troupe(wire, "Say one.");
  const died = once(first, "exit");
  await called(log);
  first.kill("SIGKILL");
  await died;

  const second = troupe(wire, "Go on.");
  const [exitCode] = await once(second, "exit");

  expect(exitCode).toBe(0);
  expect(await readFile(log, "utf8")).toBe("called\n");
  expect(resultsIn(wire.requestsOf("lead").at(-1))).toMatchObject([
    { text: expect.stringContaining("Outcome unknown") },
  ]);
  const own = new Set((await listProcesses()).map(({ pid }) => pid));
  for (const pid of own) expect(await commandOf(pid)).not.toContain(log);
});

async function commandOf(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}

test("P31 a server that dies in a call costs an error, and the team goes on", async () => {
  await using wire = await TeamOnWire.start({
    lead: [calls("mcp_call", { tool: "mcp__bad__say", input: { text: "one" } }), says("Done.")],
  });
  const log = join(wire.root, "calls.log");
  await writeFile(log, "");
  await configure(wire, "dies", log);

  const [exitCode] = await once(troupe(wire, "Say one."), "exit");

  expect(exitCode).toBe(0);
  expect(resultsIn(wire.requestsOf("lead").at(-1))).toMatchObject([
    { text: expect.stringContaining("the MCP server bad ended while this call was running") },
  ]);
});
