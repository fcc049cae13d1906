import { useEffect, useReducer, useRef } from "preact/hooks";

/** A value that changes, and its subscribers. */
export class Store<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/**
 * The result of `select` for the store's value. The component is rendered again when it changes.
 */
export function useStore<T, S>(store: Store<T>, select: (value: T) => S): S {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const selected = select(store.value);
  const latest = useRef({ select, selected });
  latest.current = { select, selected };
  useEffect(() => {
    const look = () => {
      if (!Object.is(latest.current.select(store.value), latest.current.selected)) redraw(0);
    };
    // The value may have changed since the rendering.
    look();
    return store.subscribe(look);
  }, [store]);
  return selected;
}
