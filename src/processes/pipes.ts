import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync } from "node:fs";
import { mkdtemp, rm, rmdir } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
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
      if (pipe) return pipe;
      await this.#makeMore();
    }
  }

  /** Has some at hand for whoever takes the first. What fails is told when one is taken. */
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
    const directory = await mkdtemp(join(this.#environment.TMPDIR || "/tmp", "troupe-"));
    const paths = Array.from({ length: batchSize }, (_, index) => join(directory, `${index}.pipe`));
    try {
      await this.#makeFiles(paths);
      for (const path of paths) this.#ready.push(openBothEnds(path));
    } finally {
      await Promise.all(paths.map((path) => rm(path, { force: true })));
      // Only what needs no descriptor: there may be none left.
      await rmdir(directory);
    }
  }

  async #makeFiles(paths: readonly string[]): Promise<void> {
    // With pipes of its own, Node loses descriptors when there are too few for all of them.
    const options = { env: this.#environment, stdio: "ignore" } as const;
    const program = await this.#programs.find("mkfifo");
    const [exitCode] = await once(spawn(program, ["-m", "600", ...paths], options), "exit");
    if (exitCode !== 0) throw new Error(`mkfifo cannot make ${paths[0]}`);
  }
}

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
