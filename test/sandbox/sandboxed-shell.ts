import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { findProtected } from "../../src/permissions/find-protected.ts";
import type { CommandRequest } from "../../src/processes/command-runner.ts";
import { Bubblewrap } from "../../src/sandbox/bubblewrap.ts";
import type { Confinement, Sandbox } from "../../src/sandbox/sandbox.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { openShell } from "../processes/shell-fixture.ts";
import {
  mayChangeUser,
  nobody,
  ordinaryPrograms,
  systemPrograms,
} from "../support/ordinary-programs.ts";

/** A member's shell in a sandbox, or without one, and what `SandboxFixture` says is around it. */
export async function openSandboxed({
  isConfined = true,
  isOrdinary = false,
  ...network
}: { isConfined?: boolean; isOrdinary?: boolean } & Partial<
  Pick<Confinement, "network" | "askHost" | "readable">
> = {}) {
  const directory = await temporaryDirectory();
  const below = (name: string) => join(directory.path, name);
  const [workspace, outside, hidden] = [below("work"), below("outside"), below("hidden")];
  for (const path of [workspace, outside, hidden, below("tmp")]) await mkdir(path);
  await writeFile(join(outside, "kept"), "kept");
  await writeFile(join(hidden, "secret"), "the secret");
  execFileSync("git", ["init", "-q"], { cwd: workspace });
  const socket = join(outside, "socket");
  const abstractSocket = `troupe-${randomUUID()}`;
  const servers = [
    await listening(0),
    await listening(socket),
    await listening(`\0${abstractSocket}`),
  ];
  const port = portOf(servers[0]);
  const stranger = spawn("sleep", ["1000"], {
    env: { PATH: process.env.PATH, SECRET: "the secret" },
    ...(isOrdinary && mayChangeUser && { uid: nobody, gid: nobody }),
  });
  if (isOrdinary) await giveToNobody(directory.path);
  const sandbox: Sandbox = new Bubblewrap({
    programs: isOrdinary ? await ordinaryPrograms(directory.path) : systemPrograms,
    disablesNamespaces: true,
    confinement: {
      writable: [workspace],
      readable: [],
      protected: () => findProtected(workspace),
      hidden: [hidden],
      temporary: below("tmp"),
      home: directory.path,
      network: "off",
      ...network,
    },
  });
  const shell = await openShell({
    ...(isConfined && { sandbox: async () => sandbox }),
    cwd: workspace,
    environment: {
      PATH: process.env.PATH ?? "",
      TROUPE_TEST_SAYS: "something",
      TROUPE_TEST_TOKEN: "the secret",
      // The empty part means the working directory.
      LD_LIBRARY_PATH: `${workspace}:`,
    },
  });
  return {
    ...{ workspace, outside, hidden, port, socket, abstractSocket, stranger: stranger.pid ?? 0 },
    home: directory.path,
    directory: workspace,
    runner: shell.runner,
    shell,
    run: (command: string, request?: Partial<CommandRequest>) => shell.run(command, request),
    async [Symbol.asyncDispose]() {
      await sandbox[Symbol.asyncDispose]();
      await shell[Symbol.asyncDispose]();
      await ended(stranger);
      for (const server of servers) server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function giveToNobody(directory: string): Promise<void> {
  if (!mayChangeUser) return;
  execFileSync("chown", ["-R", `${nobody}:${nobody}`, directory]);
  await chmod(directory, 0o755);
}

export async function listening(at: number | string): Promise<Server> {
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
