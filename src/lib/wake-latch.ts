/** Lets one loop sleep until it is woken. A wake that comes while it does not sleep is kept. */
export class WakeLatch {
  #isWoken = false;
  #resume = () => {};

  wake(): void {
    this.#isWoken = true;
    this.#resume();
  }

  /** Resolves after the next wake, or at once if one has come since the last call. */
  async next(): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    this.#isWoken = false;
  }
}
