/** Resolves to the next change for which `isIt` returns true. */
export function nextChange<T>(
  source: { onChange(listener: (value: T) => void): () => void },
  isIt: (value: T) => boolean,
): Promise<T> {
  return new Promise((resolve) => {
    const stop = source.onChange((value) => {
      if (!isIt(value)) return;
      stop();
      resolve(value);
    });
  });
}
