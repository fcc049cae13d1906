import { WakeLatch } from "./wake-latch.ts";

/** Values from those who have them to one who iterates, in order. What is pushed is never lost. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #latch = new WakeLatch();
  #values: T[] = [];
  #isClosed = false;

  push(value: T): void {
    this.#values.push(value);
    this.#latch.wake();
  }

  /** Ends the iteration after what was pushed before. */
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
