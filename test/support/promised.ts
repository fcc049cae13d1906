/** A promise, and the hand that keeps it. */
export interface Promised<T> {
  readonly promise: Promise<T>;
  keep(value: T): void;
}

export function promised<T = void>(): Promised<T> {
  let keep: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    keep = resolve;
  });
  return { promise, keep: (value) => keep(value) };
}
