import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { assertDescriptors } from "./host-program.ts";
import type { Programs } from "./programs.ts";

/** Both ends of a pipe, as file descriptors. */
export interface Pipe {
  reader: number;
  writer: number;
}

/** So many are made at once: the program that makes them costs as much as a short command. */
const batchSize = 8;

/**
 * Real pipes for the output of commands. Node's own are sockets, which cannot be opened by name:
 * `echo problem >/dev/stderr` fails on them. And only a descriptor can be a child's output and its
 * errors at once, so that the two stay in their order.
 */
export class Pipes implements Disposable {
  readonly #environment: Readonly<Record<string, string>>;
  readonly #programs: Programs;
  readonly #ready: Pipe[] = [];
  #making: Promise<void> | undefined;
  #isDisposed = false;

  /** `environment` says where temporary files belong. */
  constructor(options: { environment: Readonly<Record<string, string>>; programs: Programs }) {
    this.#environment = options.environment;
    this.#programs = options.programs;
  }

  /** A pipe that is the caller's to close. */
  async take(): Promise<Pipe> {
    for (;;) {
      const pipe = this.#ready.pop();
      if (pipe) {
        // The next command does not wait for them.
        this.prepare();
        return pipe;
      }
      await this.#makeMore();
    }
  }

  /** Makes some before the first is taken. A failure is reported when one is taken. */
  prepare(): void {
    if (this.#ready.length === 0) this.#makeMore().catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const pipe of this.#ready.splice(0)) closePipe(pipe);
  }

  #makeMore(): Promise<void> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
      // Nobody takes what is ready only now.
      if (this.#isDisposed) this[Symbol.dispose]();
    });
    return this.#making;
  }

  async #make(): Promise<void> {
    // Not beside the outputs: not every file system that holds a team has pipes.
    const directory = this.#environment.TMPDIR || "/tmp";
    const paths = Array.from({ length: batchSize }, () =>
      join(directory, `troupe-${randomUUID()}.pipe`),
    );
    const maker = await this.#startMaker(paths);
    try {
      for (const path of paths) this.#ready.push(openBothEnds(path));
    } finally {
      for (const path of paths) rmSync(path, { force: true });
      maker.stdin.end("\n");
    }
  }

  /** Resolves when there are files at `paths`. They go when the maker's input ends without a line. */
  async #startMaker(
    paths: readonly string[],
  ): Promise<ChildProcessByStdio<Writable, Readable, null>> {
    const find = (name: string) => this.#programs.find(name);
    const [shell, mkfifo, rm] = await Promise.all([find("sh"), find("mkfifo"), find("rm")]);
    assertDescriptors();
    const maker = spawn(shell, ["-c", makeFiles, mkfifo, rm, ...paths], {
      env: {},
      // What ends this process and its group does not end the maker, which has files to remove.
      detached: true,
      stdio: ["pipe", "pipe", "ignore"],
    });
    // A maker that has failed reads nothing; its exit says so.
    maker.stdin.on("error", () => undefined);
    const ready = once(maker.stdout, "data").then(() => true);
    const isReady = await Promise.race([ready, once(maker, "close").then(() => false)]);
    if (!isReady) throw new Error(`mkfifo cannot make ${paths[0]}`);
    return maker;
  }
}

/**
 * `$0` is mkfifo, `$1` is rm, the rest are paths. The files are removed unless a line is read: the
 * process that wanted them is gone. Without the trap, `echo` to it would end the shell before that.
 */
const makeFiles = `trap '' PIPE; rm=$1; shift; "$0" -m 600 "$@" && echo && read -r _ || "$rm" -f "$@"`;

function openBothEnds(path: string): Pipe {
  // Without O_NONBLOCK, opening one end would wait for somebody to open the other.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { reader, writer: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}

export function closePipe({ reader, writer }: Pipe): void {
  closeSync(reader);
  closeSync(writer);
}

/** What comes out of `pipe`, once the caller has closed its own writing end. */
export function readerOf({ reader }: Pipe): Socket {
  return new Socket({ fd: reader, readable: true, writable: false });
}
