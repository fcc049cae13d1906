export interface LoopOptions {
  /** Does what there is to do. False when there was nothing. */
  work(): Promise<boolean>;
  /** Called when the loop falls asleep. */
  onSleep(): void;
  /** Called when `work` throws. Must prevent the next `work` from throwing for the same reason. */
  onCrash(error: unknown): void;
}

/**
 * Looks, works and looks again until there is nothing to do; then it sleeps until it is woken.
 *
 * A wake carries nothing: it says "look again". One that comes while `work` is looking makes it look
 * once more, so no wake is ever lost between the last look and the sleep.
 */
export class Loop {
  readonly #options: LoopOptions;
  #isWoken = true;
  #isAsleep = false;
  #isStopped = false;
  #resume: (() => void) | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** False from the moment of a wake on, until there is nothing left to do. */
  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  wake(): void {
    this.#isWoken = true;
    this.#isAsleep = false;
    this.#resume?.();
  }

  /** Resolves when the work that is under way has returned; no other begins. */
  stop(): Promise<void> {
    this.#isStopped = true;
    this.#resume?.();
    return this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isWoken = false;
      const hasWorked = await this.#work();
      if (!hasWorked && !this.#isWoken && !this.#isStopped) await this.#sleep();
    }
    this.#isAsleep = true;
    this.#options.onSleep();
  }

  async #work(): Promise<boolean> {
    try {
      return await this.#options.work();
    } catch (error) {
      this.#options.onCrash(error);
      return false;
    }
  }

  async #sleep(): Promise<void> {
    this.#isAsleep = true;
    const woken = new Promise<void>((resolve) => {
      this.#resume = resolve;
    });
    this.#options.onSleep();
    await woken;
    this.#resume = undefined;
  }
}
