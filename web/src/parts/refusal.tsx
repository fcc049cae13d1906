import type { SourceError } from "../source/source.ts";

/** The reason for a refusal, and its hint. */
export function Refusal({ error }: { error: SourceError | null }) {
  if (!error) return null;
  return (
    <p class="refusal" role="alert">
      {error.message} {error.hint}
    </p>
  );
}
