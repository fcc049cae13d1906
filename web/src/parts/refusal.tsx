import type { SourceError } from "../source/source.ts";

/** Why something was refused, and what to do about it. */
export function Refusal({ error }: { error: SourceError | null }) {
  if (!error) return null;
  return (
    <p class="refusal" role="alert">
      {error.message} {error.hint}
    </p>
  );
}
