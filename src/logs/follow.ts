import { onAbort } from "../lib/on-abort.ts";
import { WakeLatch } from "../lib/wake-latch.ts";

export interface FollowSource<T> {
  /** The values that have come since the last call. */
  readNew(): AsyncIterable<T>;
  subscribe(wake: () => void): () => void;
  signal: AbortSignal;
}

/** Yields what `readNew` finds, and again what it finds after every wake, until the abort. */
export async function* follow<T>({ readNew, subscribe, signal }: FollowSource<T>) {
  const latch = new WakeLatch();
  const unsubscribe = subscribe(() => latch.wake());
  const removeListener = onAbort(signal, () => latch.wake());
  try {
    while (!signal.aborted) {
      for await (const item of readNew()) {
        if (signal.aborted) return;
        yield item;
      }
      await latch.next();
    }
  } finally {
    removeListener();
    unsubscribe();
  }
}
