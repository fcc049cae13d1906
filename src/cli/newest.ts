/** Keeps the first `limit` of the items added newest first, and counts the rest. */
export class Newest<T> {
  readonly #limit: number;
  readonly #kept: T[] = [];
  #more = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(item: T): void {
    if (this.isFull) this.#more++;
    else this.#kept.push(item);
  }

  get isFull(): boolean {
    return this.#kept.length >= this.#limit;
  }

  /** How many were not kept. */
  get more(): number {
    return this.#more;
  }

  oldestFirst(): T[] {
    return this.#kept.toReversed();
  }
}
