import { type Clock, systemClock } from "../../src/lib/clock.ts";

/**
 * The machine's clock, but `factor` times as fast. For tests whose program waits by itself, and also
 * for answers that come in real time, so that a clock which a test moves would pass its time limits.
 */
export function hurriedClock(factor: number): Clock {
  const startMs = Date.now();
  const monotonicMs = () => systemClock.monotonicMs() * factor;
  return {
    now: () => new Date(startMs + monotonicMs()),
    monotonicMs,
    schedule: (delayMs, run) => systemClock.schedule(delayMs / factor, run),
  };
}
