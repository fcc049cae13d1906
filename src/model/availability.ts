import type { Clock } from "../lib/clock.ts";

export interface AvailabilityOptions {
  clock: Pick<Clock, "monotonicMs">;
  /** How long a model may fail before another one stands in for it. */
  fallbackAfterMs: number;
}

/** How long a model is left alone, before it is asked again. */
const restMs = 5 * 60_000;

/** Whether a model can be asked, as all members of a team that use it have found. */
export class Availability {
  readonly #clock: AvailabilityOptions["clock"];
  readonly #fallbackAfterMs: number;
  /** When it began to fail; undefined while it answers. */
  #failsSinceMs: number | undefined;
  /** Until when its last failure holds: a later one starts a new period. */
  #failsUntilMs = 0;
  #restsUntilMs = 0;
  /** When it failed last. */
  #failedMs: number | undefined;
  /** Why it is left alone. It keeps it until it has answered again. */
  #reason: string | undefined;

  constructor({ clock, fallbackAfterMs }: AvailabilityOptions) {
    this.#clock = clock;
    this.#fallbackAfterMs = fallbackAfterMs;
  }

  /** Why it is not asked now. */
  get restReason(): string | undefined {
    return this.#clock.monotonicMs() < this.#restsUntilMs ? this.#reason : undefined;
  }

  /** True while it fails: it has answered before, or is expected to. */
  get isFailing(): boolean {
    return this.#failsSinceMs !== undefined;
  }

  /** The moment of a request, for `answered`. */
  now(): number {
    return this.#clock.monotonicMs();
  }

  /** It answers a request of the moment `askedMs`: that says nothing about failures since. */
  answered(askedMs: number): void {
    if (this.#failedMs !== undefined && askedMs < this.#failedMs) return;
    this.#failsSinceMs = undefined;
    this.#restsUntilMs = 0;
    this.#reason = undefined;
  }

  /** `delayMs` is the time until it is asked again. */
  failed(delayMs = 0): void {
    const now = this.#clock.monotonicMs();
    this.#failedMs = now;
    // A failure long after another one says nothing about the time between them.
    if (now - this.#failsUntilMs > this.#fallbackAfterMs) this.#failsSinceMs = now;
    this.#failsSinceMs ??= now;
    this.#failsUntilMs = Math.max(this.#failsUntilMs, now + delayMs);
  }

  /**
   * True if it has failed for too long, or will have before it is asked again. A model that fails right
   * after a rest is not waited for once more.
   */
  isGivenUp(delayMs: number): boolean {
    if (this.#failsSinceMs === undefined) return false;
    if (this.#reason !== undefined) return true;
    return this.#clock.monotonicMs() + delayMs - this.#failsSinceMs > this.#fallbackAfterMs;
  }

  /** Has it left alone for a while, or for as long as its provider asks. */
  rest(reason: string, delayMs = 0): void {
    this.#reason = reason;
    this.#restsUntilMs = this.#clock.monotonicMs() + Math.max(restMs, delayMs);
  }
}
