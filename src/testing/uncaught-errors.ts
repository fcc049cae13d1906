/** Collects errors that would crash the process, until its `using` ends. */
export function catchUncaughtErrors(): Disposable & { settled(): Promise<unknown[]> } {
  const errors: unknown[] = [];
  const others = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (error) => errors.push(error));
  return {
    /** All errors so far, after the pending microtasks have run. */
    async settled() {
      await new Promise((resolve) => setImmediate(resolve));
      return errors;
    },
    [Symbol.dispose]() {
      process.removeAllListeners("uncaughtException");
      for (const listener of others) process.on("uncaughtException", listener);
    },
  };
}
