import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { Server, type Socket } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { TeamError } from "../../errors.ts";

/** The programs that make a network and enter it, each with its path. */
export interface NetworkPrograms {
  readonly bubblewrap: string;
  readonly nsenter: string;
}

const openingMs = 10_000;
/** Where a proxy listens inside. */
const proxyPort = 3128;
export const proxyAddress = `http://127.0.0.1:${proxyPort}`;

/**
 * A network of its own, with a loopback interface and nothing else, which several commands can share: one reaches the server that
 * another has started. Entering it is also quicker than to make one for each command.
 *
 * The kernel keeps it while the descriptors are open that lead to it, without any process.
 */
export class OwnNetwork implements Disposable {
  /** The program that enters it, with its arguments; the program to start there follows. */
  readonly entering: readonly [string, ...string[]];
  readonly #descriptors: readonly number[];
  readonly #server: Server | undefined;

  private constructor(
    nsenter: string,
    { user, network, server }: { user: number; network: number; server: Server | undefined },
  ) {
    // By the descriptors of this process, so that no command has them itself.
    const pathOf = (descriptor: number) => `/proc/${process.pid}/fd/${descriptor}`;
    const places = [`--user=${pathOf(user)}`, `--net=${pathOf(network)}`];
    this.entering = [nsenter, ...places, "--preserve-credentials", "--"];
    this.#descriptors = [user, network];
    this.#server = server;
  }

  /** With `accept`, whatever connects to `proxyAddress` inside is served by this process, outside. */
  static async open(
    { bubblewrap, nsenter }: NetworkPrograms,
    accept?: (socket: Socket) => void,
  ): Promise<OwnNetwork> {
    const [program, ...argv] = accept ? listening : waiting;
    const child = spawn(bubblewrap, [...confining, program, ...argv], {
      env: {},
      stdio: ["pipe", "pipe", "pipe", "pipe", ...(accept ? (["ipc"] as const) : [])],
      timeout: openingMs,
      killSignal: "SIGKILL",
    });
    const failure = failureOf(child);
    const server = accept ? serverFrom(child) : started(child);
    const exit = once(child, "exit");
    try {
      const opened = Promise.all([pidInside(child), server]);
      const [pid, listener] = await Promise.race([opened, failure]);
      // While it lives, this is its pid and no other's.
      const user = openSync(`/proc/${pid}/ns/user`, "r");
      const network = openSync(`/proc/${pid}/ns/net`, "r");
      if (accept) listener?.on("connection", accept).unref();
      return new OwnNetwork(nsenter, { user, network, server: listener });
    } finally {
      child.stdin?.end();
      if (child.connected) child.disconnect();
      await exit.catch(() => undefined);
    }
  }

  [Symbol.dispose](): void {
    this.#server?.close();
    for (const descriptor of this.#descriptors) closeSync(descriptor);
  }
}

const statusDescriptor = 3;
/**
 * Without a `/dev` of its own: for that, bubblewrap gives an ordinary user a second user namespace, from which
 * a network of the first cannot be entered.
 */
const confining = [
  ...["--die-with-parent", "--unshare-user", "--unshare-net", "--unshare-pid"],
  ...["--ro-bind", "/", "/", "--proc", "/proc", "--cap-drop", "ALL"],
  ...["--json-status-fd", String(statusDescriptor), "--"],
];

/** Says that it runs: everything around it is complete then. Ends when its input does. */
const waiting = ["/bin/sh", "-c", "echo; read _"] as const;

/**
 * The same, by giving away a server that listens where it runs: connections to it need no process there. Ends when nobody
 * can send it messages.
 */
const listening = [
  process.execPath,
  "-e",
  `const server = require("node:net").createServer();
  server.listen(${proxyPort}, "127.0.0.1", () => process.send("", server, () => server.close()));
  process.on("message", () => {});`,
] as const;

async function failureOf(child: ChildProcess): Promise<never> {
  const [errors] = await Promise.all([
    text(child.stderr ?? Readable.from([])),
    once(child, "exit"),
  ]);
  throw new TeamError("sandbox-missing", errors.trim().split("\n")[0] || "bwrap ended silently", {
    hint: "The sandbox could not be started; troupe doctor says what is missing.",
  });
}

/** Its pid as it is outside. */
function pidInside(child: ChildProcess): Promise<number> {
  const report = child.stdio[statusDescriptor];
  let status = "";
  return new Promise((resolve) => {
    // Read to its end: bubblewrap waits forever once nobody reads its report.
    report?.on("data", (chunk: Buffer) => {
      status += chunk;
      const [, pid] = /"child-pid"\s*:\s*(\d+)\D/.exec(status) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    });
  });
}

async function started({ stdout }: ChildProcess): Promise<undefined> {
  if (stdout) await once(stdout, "data");
}

async function serverFrom(child: ChildProcess): Promise<Server> {
  const [, server] = await once(child, "message");
  if (!(server instanceof Server)) throw new Error("The proxy's server is missing");
  return server;
}
