import type { Clock } from "../../lib/clock.ts";

export interface PacedWorkOptions {
  clock: Clock;
  /** How long after it was first wanted the work is done, with all that was wanted meanwhile. */
  paceMs: number;
  work(): Promise<void>;
  /** Called with what the work throws. It is done again when it is wanted again. */
  onFailure(error: unknown): void;
}

/** Work that many may want at any time, and that is done one at a time and not too often. */
export class PacedWork implements AsyncDisposable {
  readonly #options: PacedWorkOptions;
  #cancel: (() => void) | undefined;
  #working: Promise<void> | undefined;
  #isWantedAgain = false;
  #isClosed = false;

  constructor(options: PacedWorkOptions) {
    this.#options = options;
  }

  /** Something has changed that the work is about. */
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

  /** Resolves when the work that goes on has ended. None begins any more. */
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
