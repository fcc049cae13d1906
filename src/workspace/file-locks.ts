import { Serial } from "../lib/serial.ts";

/** Lets the members of one process change a file one after the other. Shared by all of them. */
export class FileLocks {
  readonly #queues = new Map<string, { serial: Serial; waiting: number }>();

  /** Runs `task` when every earlier one for this real path has ended. */
  async run<T>(real: string, task: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(real) ?? { serial: new Serial(), waiting: 0 };
    this.#queues.set(real, queue);
    queue.waiting++;
    try {
      return await queue.serial.run(task);
    } finally {
      if (--queue.waiting === 0) this.#queues.delete(real);
    }
  }
}
