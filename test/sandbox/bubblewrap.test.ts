import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findProtected } from "../../src/permissions/find-protected.ts";
import type { CommandRequest } from "../../src/processes/command-runner.ts";
import { describeEnd } from "../../src/processes/describe-end.ts";
import { Bubblewrap } from "../../src/sandbox/bubblewrap.ts";
import type { Confinement, Sandbox } from "../../src/sandbox/sandbox.ts";
import { testCommandRunner } from "../../src/testing/conformance/command-runner.ts";
import {
  type SandboxFixture,
  sandboxProbes,
  testSandbox,
} from "../../src/testing/conformance/sandbox.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { openShell } from "../processes/shell-fixture.ts";
import { noSandbox } from "../support/no-sandbox.ts";
import {
  mayChangeUser,
  nobody,
  ordinaryPrograms,
  systemPrograms,
} from "../support/ordinary-programs.ts";

async function openFixture({
  isConfined = true,
  isOrdinary = false,
  ...network
}: { isConfined?: boolean; isOrdinary?: boolean } & Partial<
  Pick<Confinement, "network" | "askHost">
> = {}) {
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
    environment: { PATH: process.env.PATH ?? "", TROUPE_TEST_SAYS: "something" },
  });
  return {
    ...{ workspace, outside, hidden, port, socket, stranger: stranger.pid ?? 0 },
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

describe.skipIf(noSandbox)("for an ordinary user", () => {
  const openOrdinary = () => openFixture({ isOrdinary: true });

  testSandbox("Bubblewrap for an ordinary user", openOrdinary);

  test("commands are that user's", async () => {
    await using fixture = await openOrdinary();

    const { output } = await fixture.run("id -u; touch mine");

    expect(output).toBe(`${mayChangeUser ? nobody : process.getuid?.()}\n`);
    expect((await stat(join(fixture.workspace, "mine"))).uid).toBe(Number(output));
  });
});

describe.skipIf(noSandbox || !mayChangeUser)("for root", () => {
  const kernelFiles = ["kernel/core_pattern", "kernel/modprobe", "vm/drop_caches"];

  test("the kernel cannot be set up anew, and nothing can be mounted or made", async () => {
    await using fixture = await openFixture();
    const before = await readFile("/proc/sys/kernel/core_pattern", "utf8");
    const attempts = [
      ...kernelFiles.map((name) => `echo 1 > /proc/sys/${name} && echo effect`),
      "echo h > /proc/sysrq-trigger && echo effect",
      "mount -o remount,rw / && echo effect",
      "mount --bind /etc /tmp && echo effect",
      "umount /proc/sys && echo effect",
      "unshare -Urm true && echo effect",
      "chroot / true && echo effect",
      "mknod disk b 8 0 && echo effect",
      "nsenter --target 1 --mount true && echo effect",
    ];

    const { output } = await fixture.run(attempts.join("\n"));

    expect(output).not.toMatch(/^effect$/m);
    expect(await readFile("/proc/sys/kernel/core_pattern", "utf8")).toBe(before);
    expect(await fixture.run("echo ran && echo effect")).toMatchObject({ output: "ran\neffect\n" });
  });
});

describe.skipIf(noSandbox)("the network of a member's commands", () => {
  const serve = `node -e 'require("node:net").createServer((c) => c.end("reached")).listen(4567, "127.0.0.1", () => console.log("ready"))'`;
  const visit = "cat < /dev/tcp/127.0.0.1/4567";

  test("is one for all of them, and another for each member", async () => {
    await using own = await openFixture();
    await using other = await openFixture();
    const server = await own.shell.background.start({ command: serve, timeoutMs: undefined });
    if ("problem" in server) throw new Error(server.problem);
    await expect.poll(() => own.shell.background.get(server.id)?.output).toBe("ready\n");

    expect((await own.run(visit)).output).toBe("reached");
    expect((await other.run(visit)).exitCode).not.toBe(0);
    // One that is to change nothing must not have a server do it.
    expect((await own.run(visit, { isReadOnly: true })).exitCode).not.toBe(0);
  });

  const ask = (host: string) =>
    `exec 3<>/dev/tcp/127.0.0.1/\${HTTP_PROXY##*:} && printf 'GET http://${host}/ HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;

  test("reaches only the hosts of its list, and names the others in the result", async () => {
    await using fixture = await openFixture({ network: ["npm"] });

    const refused = await fixture.run(ask("other.example"));
    const next = await fixture.run("true");

    expect(refused.output).toMatch(/^HTTP\/1.1 403 /);
    expect(refused.refusedHosts).toEqual(["other.example:80"]);
    expect(describeEnd(refused)).toMatch(/refused to connect to other\.example:80/);
    expect(next.refusedHosts).toEqual([]);
  });

  test("never reaches this machine, whatever the person permits", async () => {
    await using fixture = await openFixture({ network: [], askHost: async () => true });

    const { output } = await fixture.run(ask(`127.0.0.1:${fixture.port}`));

    expect(output).toMatch(/^HTTP\/1.1 403 [^\0]*this machine/);
  });
});

describe.skipIf(noSandbox)("a command that is to change nothing", () => {
  test("changes no file, also not its own temporary ones", async () => {
    await using fixture = await openFixture();
    await fixture.run("echo kept > kept; echo kept > /tmp/kept");

    const { output } = await fixture.run(
      "echo x > kept && echo effect; echo x > /tmp/kept && echo effect; touch new /tmp/new && echo effect; cat kept /tmp/kept; sort <(echo sorted)",
      { isReadOnly: true },
    );

    expect(output).toMatch(/^kept\nkept\nsorted$/m);
    expect(output).not.toMatch(/^effect$/m);
  });

  test("control: without the restriction, these commands change files", async () => {
    await using fixture = await openFixture();

    const { output } = await fixture.run("touch new /tmp/new && echo effect");

    expect(output).toBe("effect\n");
  });
});

describe.skipIf(noSandbox)("a trial", () => {
  /** Each prints `effect` if it gets more than a trial has. */
  const attempts = (home: string, socket: string) => [
    "echo x > kept && echo effect",
    "echo x > /tmp/kept && echo effect",
    `cat ${home}/notes && echo effect`,
    `cat ${home}/outside/kept && echo effect`,
    "cat /etc/shadow && echo effect",
    "env | grep -q TROUPE_TEST_SAYS && echo effect",
    `node -e 'require("node:net").connect("${socket}").on("data", () => console.log("effect")).on("error", () => {})'`,
  ];

  async function tried(request: Partial<CommandRequest>) {
    await using fixture = await openFixture();
    const { home, workspace } = fixture;
    await writeFile(join(home, "notes"), "private");
    await fixture.run("echo kept > kept; echo kept > /tmp/kept");
    const socket = join(workspace, "socket");
    const server = await listening(socket);
    const command = [...attempts(home, socket), "cat kept", "command -v node git"].join("\n");
    const { output } = await fixture.run(command, request);
    server.close();
    return { output, kept: await readFile(join(workspace, "kept"), "utf8") };
  }

  test("reads the workspace and programs, and nothing else of the person", async () => {
    const { output, kept } = await tried({ isTrial: true });

    expect(output).not.toMatch(/^effect$/m);
    expect(output).toMatch(/^kept\n\/.*\/node\n\/.*\/git$/m);
    expect(kept).toBe("kept\n");
  });

  test("control: the usual sandbox lets these commands do more", async () => {
    const { output, kept } = await tried({});

    expect(output.match(/^effect$/gm)?.length).toBeGreaterThan(3);
    expect(kept).toBe("x\n");
  });

  test("does not run where there is no sandbox", async () => {
    await using fixture = await openFixture({ isConfined: false });

    const running = fixture.run("touch ran", { isTrial: true });

    await expect(running).rejects.toThrow("no sandbox to try it in");
    expect(await readdir(fixture.workspace)).toEqual([".git"]);
  });
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
