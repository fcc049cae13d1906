import { useState } from "preact/hooks";
import { SourceError } from "../../source/source.ts";

/** What the server has answered to the last press of a button. */
export interface ButtonAnswer<T> {
  value: T | null;
  error: SourceError | null;
  isSending: boolean;
  ask(): void;
}

/** Asks the server for something, each time that it is told to. */
export function useAnswer<T>(load: () => Promise<T>): ButtonAnswer<T> {
  const [isSending, setSending] = useState(false);
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<SourceError | null>(null);
  const ask = async () => {
    setSending(true);
    try {
      setValue(await load());
      setError(null);
    } catch (failure) {
      if (!(failure instanceof SourceError)) throw failure;
      setValue(null);
      setError(failure);
    } finally {
      setSending(false);
    }
  };
  return { value, error, isSending, ask: () => void ask().catch(reportError) };
}
