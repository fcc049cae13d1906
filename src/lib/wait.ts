import type { Clock } from "./clock.ts";

/**
 * Resolves after `delayMs` by `clock`; rejects with the signal's reason if it is aborted before.
 * Unlike `clock.schedule` it keeps the process alive, because somebody awaits it.
 */
export function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const keepAlive = setInterval(() => {}, longestIntervalMs);
    const end = (settle: () => void) => () => {
      clearInterval(keepAlive);
      cancel();
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const cancel = clock.schedule(delayMs, end(resolve));
    const abort = end(() => reject(signal?.reason));
    signal?.addEventListener("abort", abort, { once: true });
  });
}

const longestIntervalMs = 2 ** 31 - 1;

/** The result of `promise`, or of `late` if the promise takes longer than `limitMs`. */
export async function orLate<T, Late>(
  promise: Promise<T>,
  late: () => Late,
  { clock, limitMs }: { clock: Pick<Clock, "schedule">; limitMs: number },
): Promise<T | Late> {
  let cancel = () => {};
  const limit = new Promise<Late>((resolve) => {
    cancel = clock.schedule(limitMs, () => resolve(late()));
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    cancel();
  }
}
