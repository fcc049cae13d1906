import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export interface ProgramOptions {
  /** A file of `test/faults/programs`, without its ending. */
  name: string;
  arguments: readonly (string | number)[];
  /** Put before the command line, such as a shell that sets limits. */
  wrapper?: readonly string[];
  nodeOptions?: readonly string[];
  /** Whether it is expected to die; its output is then ignored. */
  isQuiet?: boolean;
}

/** A child process that a test may kill at any moment. Disposing waits for its end. */
export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown[]>;
  #output = "";

  private constructor(child: ChildProcess) {
    this.#child = child;
    this.#exited = once(child, "close");
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
  }

  static start(options: ProgramOptions): Program {
    const { name, arguments: given, wrapper = [], nodeOptions = [], isQuiet = false } = options;
    const path = fileURLToPath(new URL(`../test/faults/programs/${name}.ts`, import.meta.url));
    const node = [process.execPath, ...nodeOptions, "--import", "tsx", path];
    return Program.command([...wrapper, ...node, ...given.map(String)], { isQuiet });
  }

  static command([program = "", ...given]: readonly string[], { isQuiet = false } = {}): Program {
    const errors = isQuiet ? "ignore" : "inherit";
    return new Program(spawn(program, given, { stdio: ["pipe", "pipe", errors] }));
  }

  /** Asks it to finish, by closing its input. */
  finish(): void {
    this.#child.stdin?.end();
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exited;
  }

  /** Resolves to its output when it has ended by itself; throws if it failed. */
  async ended(): Promise<string> {
    const [code, signal] = await this.#exited;
    if (code !== 0) throw new Error(`A child process ended with ${code ?? signal}`);
    return this.#output;
  }

  async hasSucceeded(): Promise<boolean> {
    const [code] = await this.#exited;
    return code === 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
