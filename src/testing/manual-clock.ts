import type { Clock } from "../lib/clock.ts";

interface Timer {
  dueMs: number;
  run(): void;
}

/** A clock that only a test moves. */
export class ManualClock implements Clock {
  #nowMs: number;
  #elapsedMs = 0;
  readonly #timers = new Set<Timer>();
  readonly #onTimer = new Set<() => void>();

  constructor(start = new Date("2026-01-01T00:00:00.000Z")) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  /** How many timers are set and neither due nor cancelled. */
  get pending(): number {
    return this.#timers.size;
  }

  schedule(delayMs: number, run: () => void): () => void {
    const timer = { dueMs: this.#elapsedMs + delayMs, run };
    this.#timers.add(timer);
    for (const look of this.#onTimer) look();
    return () => this.#timers.delete(timer);
  }

  /** Resolves once at least `count` timers are pending, so that some code waits for this clock. */
  waiting(count = 1): Promise<void> {
    return this.#untilTimers(() => this.#timers.size >= count);
  }

  /** Resolves once a timer is pending that was set to be due exactly `delayMs` from now. */
  waitingFor(delayMs: number): Promise<void> {
    const dueMs = this.#elapsedMs + delayMs;
    return this.#untilTimers(() => [...this.#timers].some((timer) => timer.dueMs === dueMs));
  }

  #untilTimers(areSet: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!areSet()) return;
        this.#onTimer.delete(look);
        resolve();
      };
      this.#onTimer.add(look);
      look();
    });
  }

  /** Lets `durationMs` pass and runs, in order, the timers that become due. */
  advance(durationMs: number): void {
    const endMs = this.#elapsedMs + durationMs;
    for (let next = this.#nextDue(endMs); next; next = this.#nextDue(endMs)) {
      this.#timers.delete(next);
      this.#pass(next.dueMs - this.#elapsedMs);
      next.run();
    }
    this.#pass(endMs - this.#elapsedMs);
  }

  /**
   * Lets time pass until `isOver` returns true, from timer to timer, at most `stepMs` at once.
   * Between two steps the event loop runs once. I/O may take longer, so `isOver` may become true at
   * a later time on this clock than necessary.
   */
  async advanceUntil(isOver: () => boolean, stepMs = Number.POSITIVE_INFINITY): Promise<void> {
    while (!isOver()) {
      const next = this.#nextDue(this.#elapsedMs + stepMs);
      if (next) this.advance(next.dueMs - this.#elapsedMs);
      else if (Number.isFinite(stepMs)) this.advance(stepMs);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Sets the time of day forward or back, as a person or a time server does. No time passes. */
  jump(offsetMs: number): void {
    this.#nowMs += offsetMs;
  }

  #pass(durationMs: number): void {
    this.#elapsedMs += durationMs;
    this.#nowMs += durationMs;
  }

  #nextDue(endMs: number): Timer | undefined {
    return [...this.#timers]
      .filter(({ dueMs }) => dueMs <= endMs)
      .sort((a, b) => a.dueMs - b.dueMs)[0];
  }
}
