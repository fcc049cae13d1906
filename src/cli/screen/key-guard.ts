interface GuardOptions {
  schedule(delayMs: number, run: () => void): () => void;
  /** Told when keys count again. */
  onOpen(): void;
}

/** Keeps keys from counting that were pressed before the person could see what they would answer. */
export class KeyGuard {
  readonly #options: GuardOptions;
  #cancel: (() => void) | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#cancel === undefined;
  }

  /** Lets no key count for so long from now. */
  close(delayMs: number): void {
    this.cancel();
    let isCancelled = false;
    const open = () => {
      if (isCancelled) return;
      this.#cancel = undefined;
      this.#options.onOpen();
    };
    // After a stall a timer runs before the keys are read that were pressed during it. They are read
    // before an immediate runs, and so they do not count.
    const cancelTimer = this.#options.schedule(delayMs, () => setImmediate(open));
    this.#cancel = () => {
      isCancelled = true;
      cancelTimer();
    };
  }

  /** Opens it without a word, for whoever needs it no more. */
  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
