/** Values from those who have them to one who iterates, in order. What is pushed is never lost. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  #values: T[] = [];
  #isClosed = false;
  #wake: (() => void) | undefined;

  push(value: T): void {
    this.#values.push(value);
    this.#wake?.();
  }

  /** Ends the iteration after what was pushed before. */
  close(): void {
    this.#isClosed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    while (true) {
      const values = this.#values;
      this.#values = [];
      yield* values;
      if (this.#values.length > 0) continue;
      if (this.#isClosed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
