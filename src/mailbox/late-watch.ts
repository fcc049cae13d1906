import type { Clock } from "../lib/clock.ts";

const durationMs = 10 * 60 * 1000;
const pollMs = 1000;

/** Calls `look` once a second for ten minutes, in which slow writers may add to a rotated log. */
export class LateWatch {
  readonly #clock: Clock;
  readonly #look: () => void;
  #endsMs = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, look: () => void) {
    this.#clock = clock;
    this.#look = look;
  }

  /** Starts the ten minutes again, without delaying the next look. Returns when they end. */
  start(): number {
    this.#endsMs = this.#clock.monotonicMs() + durationMs;
    if (!this.#cancel) this.#schedule();
    return this.#endsMs;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    this.#cancel = this.#clock.schedule(pollMs, () => {
      this.#cancel = undefined;
      this.#look();
      if (this.#clock.monotonicMs() < this.#endsMs) this.#schedule();
    });
  }
}
