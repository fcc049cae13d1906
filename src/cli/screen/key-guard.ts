interface GuardOptions {
  schedule(delayMs: number, run: () => void): () => void;
  /** Called when keys count again. */
  onOpen(): void;
}

/** Ignores keys that were pressed before the person could see what they would answer. */
export class KeyGuard {
  readonly #options: GuardOptions;
  #cancel: (() => void) | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#cancel === undefined;
  }

  /** Ignores keys for this long. */
  close(delayMs: number): void {
    this.cancel();
    let isCancelled = false;
    const open = () => {
      if (isCancelled) return;
      this.#cancel = undefined;
      this.#options.onOpen();
    };
    // After a stall, a timer runs before the keys pressed during it are read, but an immediate runs
    // after them. So those keys do not count.
    const cancelTimer = this.#options.schedule(delayMs, () => setImmediate(open));
    this.#cancel = () => {
      isCancelled = true;
      cancelTimer();
    };
  }

  /** Opens it without calling `onOpen`. */
  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
