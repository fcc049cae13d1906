import type { Clock } from "../../lib/clock.ts";

/** Resolves after `delayMs` by `clock`, or when `signal` is aborted. Keeps no process alive. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.schedule(delayMs, end);
    signal.addEventListener("abort", end);
  });
}
