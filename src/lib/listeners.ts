/** Functions to call with each value. One that throws stops neither the caller nor the others. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Calls `listener` with each value, until the returned function is called. */
  add(listener: (value: T) => void): () => boolean {
    // A separate wrapper, so that a listener that was added twice can be removed once.
    const added = (value: T) => listener(value);
    this.#listeners.add(added);
    return () => this.#listeners.delete(added);
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        // An error of a listener is a bug: it must crash loudly, but not inside a writer that has
        // written.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
