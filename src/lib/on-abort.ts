import { setMaxListeners } from "node:events";

/**
 * Calls `listener` once when `signal` is aborted, at once if it already is. Returns how to remove
 * it. Any number of listeners may wait for one signal.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  // Node reports more than ten listeners as a leak; all calls of a round wait for the signal of
  // their run.
  setMaxListeners(0, signal);
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
