/** Time as the code sees it, so that tests can turn it by hand. */
export interface Clock {
  /** The time of day. It may jump in either direction. */
  now(): Date;
  /** Milliseconds since some moment. It never jumps, so it is used to measure durations. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`, unless the returned function is called before. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** The machine's own clock. A pending `schedule` does not keep the process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  schedule(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
