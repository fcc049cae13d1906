import { WakeLatch } from "./wake-latch.ts";

/**
 * Passes values from any number of producers to one iterator, in order. No pushed value is lost.
 */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #latch = new WakeLatch();
  #values: T[] = [];
  #isClosed = false;

  push(value: T): void {
    this.#values.push(value);
    this.#latch.wake();
  }

  /** Ends the iteration after the values that were pushed before. */
  close(): void {
    this.#isClosed = true;
    this.#latch.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    while (true) {
      yield* this.#values.splice(0);
      if (this.#values.length > 0) continue;
      if (this.#isClosed) return;
      await this.#latch.next();
    }
  }
}
