import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CommandRequest } from "../../src/processes/command-runner.ts";
import { describeEnd } from "../../src/processes/describe-end.ts";
import { testCommandRunner } from "../../src/testing/conformance/command-runner.ts";
import {
  type SandboxFixture,
  sandboxProbes,
  testSandbox,
} from "../../src/testing/conformance/sandbox.ts";
import { noSandbox } from "../support/no-sandbox.ts";
import { mayChangeUser, nobody } from "../support/ordinary-programs.ts";
import { listening, openSandboxed } from "./sandboxed-shell.ts";

describe.skipIf(noSandbox)("with bubblewrap", () => {
  testCommandRunner("a command runner", openSandboxed);
  testSandbox("Bubblewrap", openSandboxed);
});

describe.skipIf(noSandbox)("for an ordinary user", () => {
  const openOrdinary = () => openSandboxed({ isOrdinary: true });

  testSandbox("Bubblewrap for an ordinary user", openOrdinary);

  test("commands are that user's", async () => {
    await using fixture = await openOrdinary();

    const { output } = await fixture.run("id -u; touch mine");

    expect(output).toBe(`${mayChangeUser ? nobody : process.getuid?.()}\n`);
    expect((await stat(join(fixture.workspace, "mine"))).uid).toBe(Number(output));
  });
});

describe.skipIf(noSandbox)("for root", () => {
  const kernelFiles = ["kernel/core_pattern", "kernel/modprobe", "vm/drop_caches"];

  test.runIf(process.getuid?.() === 0)(
    "the kernel cannot be set up anew, and nothing can be mounted or made",
    async () => {
      await using fixture = await openSandboxed();
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
      expect(await fixture.run("echo ran && echo effect")).toMatchObject({
        output: "ran\neffect\n",
      });
    },
  );
});

describe.skipIf(noSandbox)("the network of a member's commands", () => {
  const serve = `node -e 'require("node:net").createServer((c) => c.end("reached")).listen(4567, "127.0.0.1", () => console.log("ready"))'`;
  const visit = "cat < /dev/tcp/127.0.0.1/4567";

  test("is one for all of them, and another for each member", async () => {
    await using own = await openSandboxed();
    await using other = await openSandboxed();
    const server = await own.shell.background.start({ command: serve, timeoutMs: undefined });
    if ("problem" in server) throw new Error(server.problem);
    await expect
      .poll(() => own.shell.background.list().find((job) => job.id === server.id)?.output)
      .toBe("ready\n");

    expect((await own.run(visit)).output).toBe("reached");
    expect((await other.run(visit)).exitCode).not.toBe(0);
    // One that is to change nothing must not have a server do it.
    expect((await own.run(visit, { isReadOnly: true })).exitCode).not.toBe(0);
  });

  const ask = (host: string) =>
    `exec 3<>/dev/tcp/127.0.0.1/\${HTTP_PROXY##*:} && printf 'GET http://${host}/ HTTP/1.0\\r\\n\\r\\n' >&3 && cat <&3`;

  test("reaches only the hosts of its list, and names the others in the result", async () => {
    await using fixture = await openSandboxed({ network: ["npm"] });

    const refused = await fixture.run(ask("other.example"));
    const next = await fixture.run("true");

    expect(refused.output).toMatch(/^HTTP\/1.1 403 /);
    expect(refused.refusedHosts).toEqual(["other.example:80"]);
    expect(describeEnd(refused)).toMatch(/refused to connect to other\.example:80/);
    expect(next.refusedHosts).toEqual([]);
  });

  test("never reaches this machine, whatever the person permits", async () => {
    await using fixture = await openSandboxed({ network: [], askHost: async () => true });

    const { output } = await fixture.run(ask(`127.0.0.1:${fixture.port}`));

    expect(output).toMatch(/^HTTP\/1.1 403 [^\0]*this machine/);
  });
});

describe.skipIf(noSandbox)("a command that is to change nothing", () => {
  test("changes no file, also not its own temporary ones", async () => {
    await using fixture = await openSandboxed();
    await fixture.run("echo kept > kept; echo kept > /tmp/kept");

    const { output } = await fixture.run(
      "echo x > kept && echo effect; echo x > /tmp/kept && echo effect; touch new /tmp/new && echo effect; cat kept /tmp/kept; sort <(echo sorted)",
      { isReadOnly: true },
    );

    expect(output).toMatch(/^kept\nkept\nsorted$/m);
    expect(output).not.toMatch(/^effect$/m);
  });

  test("control: without the restriction, these commands change files", async () => {
    await using fixture = await openSandboxed();

    const { output } = await fixture.run("touch new /tmp/new && echo effect");

    expect(output).toBe("effect\n");
  });
});

test.skipIf(noSandbox)(
  "no credential of the environment is in the sandbox, and other variables are",
  async () => {
    await using fixture = await openSandboxed();
    const say = "echo $TROUPE_TEST_SAYS $TROUPE_TEST_TOKEN";

    expect(await fixture.run(say)).toMatchObject({ output: "something\n" });
    expect(await fixture.run(say, { isUnconfined: true })).toMatchObject({
      output: "something the secret\n",
    });
  },
);

test.skipIf(noSandbox)(
  "what starts the sandbox loads no code that a variable names, and the command may",
  async () => {
    await using fixture = await openSandboxed();
    const started = new AbortController();
    const running = await fixture.runner.start({
      ...{ name: "call-1", command: "echo $LD_LIBRARY_PATH; sleep 1000", timeoutMs: undefined },
      signal: started.signal,
      onOutput: () => {},
    });
    if (running.type !== "running") throw new Error(running.problem);
    await expect.poll(() => running.output()).toBe(`${fixture.workspace}:\n`);

    const outside = await readFile(`/proc/${running.pid}/environ`, "utf8");
    started.abort();
    await running.ended;

    expect(outside).not.toMatch(/LD_LIBRARY_PATH/);
    expect(outside).toMatch(/TROUPE_TEST_SAYS=something/);
  },
);

test.skipIf(noSandbox)("tsx, which has a socket of its own, runs", async () => {
  await using fixture = await openSandboxed({ readable: [process.cwd()] });
  await writeFile(
    join(fixture.workspace, "sum.ts"),
    "const sum: number = 6 * 7; console.log(sum);",
  );

  const end = await fixture.run(`${process.cwd()}/node_modules/.bin/tsx sum.ts`);

  expect(end).toMatchObject({ exitCode: 0, output: "42\n" });
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
    await using fixture = await openSandboxed();
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
    await using fixture = await openSandboxed({ isConfined: false });

    const running = fixture.run("touch ran", { isTrial: true });

    await expect(running).rejects.toThrow("no sandbox to try it in");
    expect(await readdir(fixture.workspace)).toEqual([".git"]);
  });
});

test.each(sandboxProbes)(
  "control: without a sandbox, $title has its effect",
  async ({ command, title }) => {
    await using fixture: SandboxFixture = await openSandboxed({ isConfined: false });

    const { output } = await fixture.run(command(fixture));

    // Mounting anew changes nothing where nothing is read-only: what the command writes is the effect.
    expect(output, title).toMatch(/^effect$/m);
  },
);
