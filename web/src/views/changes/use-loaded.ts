import { useEffect, useState } from "preact/hooks";
import { SourceError } from "../../source/source.ts";

interface Loaded<T> {
  value: T | null;
  error: SourceError | null;
}

/** What `load` resolves to, again whenever one of `inputs` changes. */
export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: null, error: null });
  useEffect(() => {
    let isWanted = true;
    const show = (next: Loaded<T>) => {
      if (isWanted) setLoaded(next);
    };
    load().then(
      (value) => show({ value, error: null }),
      (error: unknown) => {
        if (error instanceof SourceError) show({ value: null, error });
        else reportError(error);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [...inputs]);
  return loaded;
}
