export interface FollowSource<T> {
  /** What has come since the last call. */
  readNew(): AsyncIterable<T>;
  subscribe(wake: () => void): () => void;
  signal: AbortSignal;
}

/** Yields what `readNew` finds, and again what it finds after every wake, until the abort. */
export async function* follow<T>({ readNew, subscribe, signal }: FollowSource<T>) {
  let isWoken = false;
  let resume = () => {};
  const wake = () => {
    isWoken = true;
    resume();
  };
  const unsubscribe = subscribe(wake);
  signal.addEventListener("abort", wake);
  try {
    while (!signal.aborted) {
      // Before the reading: what comes while it goes on must lead to another one.
      isWoken = false;
      for await (const item of readNew()) {
        if (signal.aborted) return;
        yield item;
      }
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
      }
    }
  } finally {
    signal.removeEventListener("abort", wake);
    unsubscribe();
  }
}
