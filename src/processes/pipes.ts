import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "../lib/clock.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import type { Programs } from "./programs.ts";

/** Both ends of a pipe, as file descriptors. */
export interface Pipe {
  reader: number;
  writer: number;
}

/** How many are made at once: the program that makes them costs as much as a short command. */
const batchSize = 8;
/** A pipe has a name for milliseconds. One that has it for longer was left by a process that died. */
const leftAfterMs = 60_000;

export interface PipesOptions {
  /** Where pipes have names until they are open. Pipes that a killed process left there are removed. */
  directory: string;
  programs: Programs;
  clock: Clock;
}

/**
 * Real pipes for the output of commands. Node's own are sockets, which cannot be opened by name:
 * `echo problem >/dev/stderr` fails on them. And only a descriptor can be a child's output and its
 * errors at once, so that the two stay in their order.
 */
export class Pipes implements AsyncDisposable {
  readonly #options: PipesOptions;
  readonly #ready: Pipe[] = [];
  #making: Promise<void> | undefined;
  #isLeftRemoved = false;
  #isDisposed = false;

  constructor(options: PipesOptions) {
    this.#options = options;
  }

  /** Where pipes have names until they are open. Nobody else reads there. */
  get directory(): string {
    return this.#options.directory;
  }

  /** A pipe, which the caller must close. */
  async take(): Promise<Pipe> {
    for (;;) {
      const pipe = this.#ready.pop();
      if (pipe) return pipe;
      await this.#makeMore();
    }
  }

  /** Makes some before the first is taken. A failure is reported when one is taken. */
  prepare(): void {
    if (this.#ready.length === 0 && !this.#isDisposed) this.#makeMore().catch(() => undefined);
  }

  /** Waits for pipes that are being made, so that nothing is written afterwards. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#making?.catch(() => undefined);
    for (const pipe of this.#ready.splice(0)) closePipe(pipe);
  }

  #makeMore(): Promise<void> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<void> {
    const { directory } = this.#options;
    await ensurePrivateDirectory(directory);
    await this.#removeLeft();
    const paths = Array.from({ length: batchSize }, () => join(directory, `${randomUUID()}.pipe`));
    try {
      await this.#makeFiles(paths);
      for (const path of paths) this.#ready.push(openBothEnds(path));
    } finally {
      for (const path of paths) rmSync(path, { force: true });
    }
  }

  async #removeLeft(): Promise<void> {
    if (this.#isLeftRemoved) return;
    const { directory, clock } = this.#options;
    const before = clock.now().getTime() - leftAfterMs;
    for (const name of await readdir(directory)) {
      const path = join(directory, name);
      const left = await lstat(path).catch(() => undefined);
      if (left?.isFIFO() && left.mtimeMs < before) await rm(path, { force: true });
    }
    this.#isLeftRemoved = true;
  }

  async #makeFiles(paths: readonly string[]): Promise<void> {
    // With pipes of its own, Node loses descriptors when there are too few for all of them.
    const options = { env: {}, stdio: "ignore" } as const;
    const program = await this.#options.programs.find("mkfifo");
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

/** The output of `pipe`, once the caller has closed its own writing end. */
export function readerOf({ reader }: Pick<Pipe, "reader">): Socket {
  return new Socket({ fd: reader, readable: true, writable: false });
}
