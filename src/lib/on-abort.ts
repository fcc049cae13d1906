import { setMaxListeners } from "node:events";

/**
 * Calls `listener` once when `signal` is aborted, at once if it is already. Returns how to wait no
 * longer. Any number may wait for one signal.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  // More than ten are a leak to Node; all the calls of a round wait for the signal of their run.
  setMaxListeners(0, signal);
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
