import { Refusal } from "../../parts/refusal.tsx";
import type { PendingChange } from "./use-change.ts";

/** What became of the last change, where the page does not show it by itself. */
export function Outcome({ change: { waiting, refusal } }: { change: PendingChange }) {
  return (
    <>
      <Refusal error={refusal} />
      {waiting !== null && refusal === null && (
        <p role="status" class="soft">
          {waiting}: this happens when the team runs again.
        </p>
      )}
    </>
  );
}
