import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { z } from "zod";

/** A child process that answers questions, one at a time. Its other end is `serve`. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #hasExited: Promise<unknown>;

  private constructor(program: string, options: object) {
    // Without this process's own arguments, which would load a compiler into every child.
    this.#process = fork(program, [JSON.stringify(options)], { execArgv: [] });
    this.#hasExited = once(this.#process, "exit");
  }

  /** Resolves when the child is ready for its first question. */
  static async start(program: string, options: object): Promise<Child> {
    const child = new Child(program, options);
    await child.#nextMessage();
    return child;
  }

  async ask<Answer>(question: object, answer: z.ZodType<Answer>): Promise<Answer> {
    this.#process.send(question);
    return answer.parse(await this.#nextMessage());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.connected) this.#process.disconnect();
    await this.#hasExited;
  }

  async #nextMessage(): Promise<unknown> {
    const exit = this.#hasExited.then(() => {
      throw new Error(`${this.#process.spawnargs.join(" ")} ended with ${this.#process.exitCode}`);
    });
    const [message] = await Promise.race([once(this.#process, "message"), exit]);
    return message;
  }
}
