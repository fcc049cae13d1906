/** Resolves to the first change that `isIt`, from now on. */
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
