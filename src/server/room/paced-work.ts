import type { Clock } from "../../lib/clock.ts";

export interface PacedWorkOptions {
  clock: Clock;
  /** The delay between the first request and the work, which serves all requests until then. */
  paceMs: number;
  work(): Promise<void>;
  /** Called with an error of the work. It is done again at the next request. */
  onFailure(error: unknown): void;
}

/** Work that can be requested at any time, and is done one at a time and not too often. */
export class PacedWork implements AsyncDisposable {
  readonly #options: PacedWorkOptions;
  #cancel: (() => void) | undefined;
  #working: Promise<void> | undefined;
  #isWantedAgain = false;
  #isClosed = false;

  constructor(options: PacedWorkOptions) {
    this.#options = options;
  }

  want(): void {
    if (this.#isClosed || this.#cancel) return;
    if (this.#working) {
      this.#isWantedAgain = true;
      return;
    }
    const { clock, paceMs } = this.#options;
    this.#cancel = clock.schedule(paceMs, () => {
      this.#cancel = undefined;
      this.#working = this.#work();
    });
  }

  /** Resolves when the current work has ended. No further work begins. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#cancel?.();
    await this.#working;
  }

  async #work(): Promise<void> {
    try {
      await this.#options.work();
    } catch (error) {
      this.#options.onFailure(error);
    }
    this.#working = undefined;
    if (!this.#isWantedAgain) return;
    this.#isWantedAgain = false;
    this.want();
  }
}
