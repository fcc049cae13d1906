import { type ChildProcess, spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { createInterface } from "node:readline";
import { Effects } from "./effects.ts";
import type { World } from "./world.ts";

/** The time limit of a line. */
const timeoutMs = 1_500;
/** The limits of one written file, and of the memory of one process, in kilobytes. */
const limits = "ulimit -f 20000; ulimit -v 16000000; ulimit -c 0";

interface SandboxOptions {
  world: World;
  /** The driver as plain JavaScript. */
  driver: string;
}

/** A copy of the world in which lines really run, isolated from everything else. */
export class Sandbox implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;

  private constructor({ world, driver }: SandboxOptions) {
    const { root, path } = world;
    const pristine = "/run/pristine";
    const options = JSON.stringify({ root, pristine, timeoutMs });
    const node = [process.execPath, "/run/driver.mjs", options];
    this.#child = spawn(
      "bwrap",
      [
        ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
        ...["--unshare-all", "--die-with-parent", "--new-session"],
        // To answer name lookups, which use a port below 1024.
        ...["--cap-drop", "ALL", "--cap-add", "CAP_NET_BIND_SERVICE"],
        // Only root keeps that capability when a program is started.
        ...["--unshare-user", "--uid", "0", "--gid", "0"],
        ...["--tmpfs", "/run", "--ro-bind", root, pristine, "--ro-bind", driver, "/run/driver.mjs"],
        ...["--tmpfs", "/tmp", "--tmpfs", root, "--chdir", "/"],
        ...path.flatMap((directory) => ["--ro-bind", directory, directory]),
        ...["--ro-bind", `${root}/resolv.conf`, realpathSync("/etc/resolv.conf")],
        ...["--", "/bin/bash", "-c", `${limits}; exec "$@"`, "bash", ...node],
      ],
      { stdio: ["pipe", "pipe", "inherit"], env: world.environment },
    );
    if (!this.#child.stdout) throw new Error("The sandbox has no output");
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    // A line may have ended the driver: then there is no answer.
    this.#child.stdin?.on("error", () => {});
    this.#ended = new Promise((resolve) => {
      this.#child.once("exit", resolve);
      // Without bubblewrap there is no process to end.
      this.#child.once("error", resolve);
    });
  }

  /** Throws without bubblewrap. */
  static async start(options: SandboxOptions): Promise<Sandbox> {
    const sandbox = new Sandbox(options);
    if ((await sandbox.#answer()) !== undefined) return sandbox;
    const remedy = "Install bubblewrap (the package is called so almost everywhere).";
    throw new Error(`The sandbox does not start. ${remedy}`);
  }

  /** The effects of a line; undefined if it ended the sandbox itself. One at a time. */
  async run(line: string): Promise<Effects | undefined> {
    this.#child.stdin?.write(`${JSON.stringify({ line })}\n`);
    const text = await this.#answer();
    return text === undefined ? undefined : Effects.parse(JSON.parse(text));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.stdin?.end();
    await this.#ended;
  }

  async #answer(): Promise<string | undefined> {
    const { done, value } = await this.#lines.next();
    return done ? undefined : value;
  }
}
