import { describe, expect } from "vitest";
import type { CommandEnd } from "../../processes/command-runner.ts";
import { testWith } from "./test-with.ts";

/** A member's commands in a sandbox without network, and what is around it. */
export interface SandboxFixture extends AsyncDisposable {
  /** Runs a command in the workspace to its end. */
  run(command: string): Promise<CommandEnd>;
  /** The directory in which commands may write. It has a repository of git, with a protected `.git`. */
  readonly workspace: string;
  /** A directory beside it, with a file `kept` that has the content `kept`. */
  readonly outside: string;
  /** A directory that is hidden, with a file `secret` that has the content `the secret`. */
  readonly hidden: string;
  /** The port of a server on 127.0.0.1 that answers each connection with `reached`. */
  readonly port: number;
  /** The path of a socket in `outside` whose server does the same. */
  readonly socket: string;
  /** The name of an abstract socket, which is in no directory, whose server does the same. */
  readonly abstractSocket: string;
  /** The pid of a process of the same user outside, whose environment has `SECRET=the secret`. */
  readonly stranger: number;
}

/** Something that must have no effect. It prints `effect` if it has one. */
interface Probe {
  readonly title: string;
  command(fixture: SandboxFixture): string;
}

const connect = (target: string) =>
  `node -e 'require("node:net").connect(${target}).on("data", () => require("node:fs").writeSync(1, "effect\\n")).on("error", () => {})'`;

export const sandboxProbes: readonly Probe[] = [
  {
    title: "changing a file outside",
    command: ({ outside }) => `echo changed > ${outside}/kept && echo effect`,
  },
  {
    title: "changing a file outside through a link in the workspace",
    command: ({ outside }) => `ln -s ${outside}/kept link; echo changed > link && echo effect`,
  },
  {
    title: "making a hard link to a file outside",
    command: ({ outside }) => `ln ${outside}/kept hard && echo effect`,
  },
  {
    title: "creating a file outside",
    command: ({ outside }) => `cd ..; touch ${outside}/new && echo effect`,
  },
  {
    title: "reading what is hidden",
    command: ({ hidden }) => `grep -q 'the secret' ${hidden}/secret && echo effect`,
  },
  { title: "changing .git/config", command: () => "echo '[core]' >> .git/config && echo effect" },
  { title: "planting .git/commondir", command: () => "echo .. > .git/commondir && echo effect" },
  { title: "moving .git away", command: () => "mv .git other && echo effect" },
  {
    title: "mounting the file system again",
    command: ({ outside }) =>
      `unshare -rm sh -c 'mount -o remount,rw,bind / && touch ${outside}/new' && echo effect; touch ${outside}/new && echo effect`,
  },
  {
    title: "reaching a port of the host",
    command: ({ port }) => connect(`${port}, "127.0.0.1"`),
  },
  {
    title: "reaching a socket of the host",
    command: ({ socket }) => connect(JSON.stringify(socket)),
  },
  {
    title: "reaching a socket of the host that is in no directory",
    command: ({ abstractSocket }) => connect(JSON.stringify(`\0${abstractSocket}`)),
  },
  {
    title: "reading the environment of a process outside",
    command: ({ stranger }) => `grep -qa 'the secret' /proc/${stranger}/environ && echo effect`,
  },
  {
    title: "signalling a process outside",
    command: ({ stranger }) => `kill -0 ${stranger} && echo effect`,
  },
];

/** The promises in sandbox.ts, one test each. Without a sandbox each probe has its effect, which a control can show. */
export function testSandbox(name: string, open: () => Promise<SandboxFixture>): void {
  const test = testWith(open);
  describe(`${name} keeps the promises of a sandbox`, () => {
    for (const { title, command } of sandboxProbes) {
      test(`${title} has no effect`, async (fixture) => {
        const { ending, output } = await fixture.run(command(fixture));

        expect(ending).toBe("exited");
        expect(output).not.toMatch(/^effect$/m);
      });
    }

    test("a command writes in the workspace and to its own temporary files", async ({ run }) => {
      const end = await run("echo a > a.txt && echo b > /tmp/b.txt && cat a.txt /tmp/b.txt");

      expect(end).toMatchObject({ exitCode: 0, output: "a\nb\n", appeared: [] });
      expect(await run("cat a.txt /tmp/b.txt")).toMatchObject({ output: "a\nb\n" });
    });

    test("a command has its own loopback, sockets and programs", async ({ run }) => {
      const server = `const net = require("node:net");
        const server = net.createServer((connection) => connection.end("reached"));
        server.listen(0, "127.0.0.1", () => net.connect(server.address().port)
          .on("data", (data) => require("node:fs").writeSync(1, data + "\\n")).on("close", () => server.close()));`;

      expect(await run(`node -e '${server}'; git status --short; exit 7`)).toMatchObject({
        exitCode: 7,
        output: "reached\n",
      });
    });

    test("a command has sockets of its own, in a directory and between processes", async ({
      run,
    }) => {
      const server = `const net = require("node:net");
        const server = net.createServer((connection) => connection.end("reached"));
        server.listen("own.sock", () => net.connect("own.sock")
          .on("data", (data) => require("node:fs").writeSync(1, data + "\\n")).on("close", () => server.close()));
        const stdio = ["ignore", "ignore", "ignore", "ipc"];
        require("node:child_process").spawn(process.execPath, ["-e", "process.send(1)"], { stdio })
          .on("message", () => require("node:fs").writeSync(1, "told\\n"));`;

      const { output } = await run(`node -e '${server}'`);

      expect(output.split("\n").sort()).toEqual(["", "reached", "told"]);
    });

    test("what is left running ends with the command", async ({ run }) => {
      await run(
        "setsid -f bash -c 'while :; do date +%N > alive; sleep 0.02; done'; until [ -s alive ]; do sleep 0.01; done",
      );

      const { output } = await run("cat alive; sleep 0.2; cat alive");
      const [before, after] = output.split("\n");
      expect(after).toBe(before);
    });

    test("a protected file that appears is reported", async ({ run, workspace }) => {
      const { appeared } = await run("mkdir .vscode && echo '{}' > .vscode/tasks.json");

      expect(appeared).toEqual([`${workspace}/.vscode`]);
    });
  });
}
