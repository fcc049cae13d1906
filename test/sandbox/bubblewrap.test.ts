import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findProtected } from "../../src/permissions/find-protected.ts";
import { Bubblewrap } from "../../src/sandbox/bubblewrap.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { testCommandRunner } from "../../src/testing/conformance/command-runner.ts";
import {
  type SandboxFixture,
  sandboxProbes,
  testSandbox,
} from "../../src/testing/conformance/sandbox.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { openShell } from "../processes/shell-fixture.ts";
import { noSandbox } from "../support/no-sandbox.ts";

async function openFixture({ isConfined = true } = {}) {
  const directory = await temporaryDirectory();
  const below = (name: string) => join(directory.path, name);
  const [workspace, outside, hidden] = [below("work"), below("outside"), below("hidden")];
  for (const path of [workspace, outside, hidden, below("tmp")]) await mkdir(path);
  await writeFile(join(outside, "kept"), "kept");
  await writeFile(join(hidden, "secret"), "the secret");
  execFileSync("git", ["init", "-q"], { cwd: workspace });
  const socket = join(outside, "socket");
  const servers = [await listening(0), await listening(socket)];
  const port = portOf(servers[0]);
  const stranger = spawn("sleep", ["1000"], {
    env: { PATH: process.env.PATH, SECRET: "the secret" },
  });
  const sandbox: Sandbox = new Bubblewrap({
    program: "/usr/bin/bwrap",
    disablesNamespaces: true,
    confinement: {
      writable: [workspace],
      readable: [],
      protected: () => findProtected(workspace),
      hidden: [hidden],
      temporary: below("tmp"),
      home: directory.path,
      network: "off",
    },
  });
  const shell = await openShell({
    ...(isConfined && { sandbox: async () => sandbox }),
    cwd: workspace,
  });
  return {
    ...{ workspace, outside, hidden, port, socket, stranger: stranger.pid ?? 0 },
    directory: workspace,
    runner: shell.runner,
    run: (command: string) => shell.run(command),
    async [Symbol.asyncDispose]() {
      await shell[Symbol.asyncDispose]();
      await ended(stranger);
      for (const server of servers) server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function listening(at: number | string): Promise<Server> {
  const server = createServer((connection) => connection.end("reached"));
  const isListening = once(server, "listening");
  if (typeof at === "number") server.listen(at, "127.0.0.1");
  else server.listen(at);
  await isListening;
  return server;
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  if (typeof address !== "object" || !address) throw new Error("The server has no port");
  return address.port;
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

describe.skipIf(noSandbox)("with bubblewrap", () => {
  testCommandRunner("a command runner", openFixture);
  testSandbox("Bubblewrap", openFixture);
});

test.each(sandboxProbes)(
  "control: without a sandbox, $title has its effect",
  async ({ command, title }) => {
    await using fixture: SandboxFixture = await openFixture({ isConfined: false });

    const { output } = await fixture.run(command(fixture));

    // Mounting anew changes nothing where nothing is read-only: what the command writes is the effect.
    expect(output, title).toMatch(/^effect$/m);
  },
);
