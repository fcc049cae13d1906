import { useState } from "preact/hooks";
import { SourceError } from "../../source/source.ts";
import { useHindrance, useRoom } from "../../state/page-context.ts";

/** How the last change that the person has asked for went. */
export interface PendingChange {
  /** Why nothing can be changed now; null if it can. */
  hindrance: string | null;
  isSending: boolean;
  /** What was asked for, if the team carries it out only when it runs again. */
  waiting: string | null;
  refusal: SourceError | null;
  /** Sends a change; resolves to whether it was accepted. */
  send(what: string, ask: () => Promise<void>): Promise<boolean>;
}

export function useChange(): PendingChange {
  const hindrance = useHindrance();
  const isRunning = useRoom((room) => room.running !== null) ?? false;
  const [isSending, setSending] = useState(false);
  const [sent, setSent] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<SourceError | null>(null);
  const send = async (what: string, ask: () => Promise<void>) => {
    setSending(true);
    setRefusal(null);
    try {
      await ask();
      setSent(what);
      return true;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      setRefusal(error);
      return false;
    } finally {
      setSending(false);
    }
  };
  return { hindrance, isSending, waiting: isRunning ? null : sent, refusal, send };
}
