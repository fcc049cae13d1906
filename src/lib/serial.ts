/** Runs tasks one after the other, in the order in which they were given. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves or rejects as `task` does; a failed task does not stop those after it. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task, task);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Resolves when every task that was given before has ended. */
  async finished(): Promise<void> {
    await this.#last;
  }
}
