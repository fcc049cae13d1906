import { WakeLatch } from "./wake-latch.ts";

/** Passes values from any number of producers to one iterator, in order. None is lost. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #latch = new WakeLatch();
  #values: T[] = [];
  #isClosed = false;
  #error: Error | undefined;

  /** How many values were not read yet. */
  get size(): number {
    return this.#values.length;
  }

  push(value: T): void {
    this.#values.push(value);
    this.#latch.wake();
  }

  /** Ends the iteration after the values that were pushed before, with `error` if there is one. */
  close(error?: Error): void {
    this.#isClosed = true;
    this.#error = error;
    this.#latch.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    while (true) {
      yield* this.#values.splice(0);
      if (this.#values.length > 0) continue;
      if (this.#error) throw this.#error;
      if (this.#isClosed) return;
      await this.#latch.next();
    }
  }
}
