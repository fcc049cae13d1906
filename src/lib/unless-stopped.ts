import { onAbort } from "./on-abort.ts";

/** Stands for the result of something that was stopped before it had one. */
export const stopped = Symbol("stopped");

/** Does not wait for something that takes its time when `signal` is aborted. */
export async function unlessStopped<T>(
  signal: AbortSignal,
  act: () => T,
): Promise<Awaited<T> | typeof stopped> {
  let stopListening = () => {};
  const aborted = new Promise<typeof stopped>((resolve) => {
    stopListening = onAbort(signal, () => resolve(stopped));
  });
  try {
    return await Promise.race([act(), aborted]);
  } finally {
    stopListening();
  }
}
