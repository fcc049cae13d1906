import { useState } from "preact/hooks";
import { SourceError } from "../source/source.ts";
import { useHindrance, usePageContext } from "../state/page-context.ts";
import { MemberName } from "./member.tsx";
import { Modal } from "./overlay.tsx";
import { Refusal } from "./refusal.tsx";

/** Asks for confirmation before one member, or all of them, are stopped. */
export function StopDialog({ member, onClose }: { member: string | null; onClose: () => void }) {
  const { page } = usePageContext();
  const hindrance = useHindrance();
  const [isSending, setSending] = useState(false);
  const [refusal, setRefusal] = useState<SourceError | null>(null);
  const stop = async () => {
    setSending(true);
    try {
      await page.source.stop(member ?? undefined);
      onClose();
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      setRefusal(error);
      setSending(false);
    }
  };
  return (
    <Modal label={member === null ? "Stop all members" : `Stop ${member}`} onClose={onClose}>
      <h2>Stop {member === null ? "everybody" : <MemberName name={member} />}?</h2>
      <p>{member === null ? everybodyText : memberText}</p>
      <Refusal error={refusal} />
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="button is-bad"
          disabled={isSending || hindrance !== null}
          title={hindrance ?? ""}
          onClick={() => void stop().catch(reportError)}
        >
          {member === null ? "Stop all members" : `Stop ${member}`}
        </button>
      </div>
    </Modal>
  );
}

const memberText =
  "It is ended at once, without a shutdown request. Its work stays as it is, and its task becomes free for others.";
const everybodyText =
  "Every teammate is ended at once, without a shutdown request, and the lead's run is interrupted. Their work stays as it is, and their tasks become free.";
