/** Holds work for a member's loop to do between two looks for mail, so that no run begins meanwhile. */
export class BetweenLooks {
  readonly #waiting: (() => Promise<void>)[] = [];

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves or fails as `work` does, once the loop has done it. */
  add<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => work().then(resolve, reject));
    });
  }

  /** Does all that waits, in the order in which it came. */
  async do(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next();
  }
}
