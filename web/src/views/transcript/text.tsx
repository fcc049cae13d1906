import { useContext, useMemo } from "preact/hooks";
import type { DiffLine } from "../../../../src/protocol/dashboard.ts";
import { timeText } from "../../state/times.ts";
import { highlighted } from "./highlight.ts";
import { RowContext } from "./row-context.ts";

/** Plain text with highlighted matches. */
export function Marked({ text }: { text: string }) {
  const { search } = useContext(RowContext);
  return useMemo(() => {
    if (search === "") return <>{text}</>;
    const pieces = highlighted(text, search);
    return <>{pieces.map((piece) => (piece.isMatch ? <mark>{piece.text}</mark> : piece.text))}</>;
  }, [text, search]);
}

/** Preformatted text that scrolls in its own box. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable without a mouse.
    <section class="code" aria-label={label} tabIndex={0}>
      <Marked text={text} />
    </section>
  );
}

const signs = { same: " ", added: "+", removed: "−", skipped: "⋯" } as const;
const spoken = { same: null, added: "added: ", removed: "removed: ", skipped: null } as const;

/** A change to a file, with signs as well as colours. */
export function DiffLines({ lines }: { lines: readonly DiffLine[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable without a mouse.
    <section class="code diff" aria-label="The change" tabIndex={0}>
      <div class="diff-lines">
        {lines.map(({ type, text }) => (
          <div class={`diff-line ${type}`}>
            <span class="sign" aria-hidden="true">
              {signs[type]}
            </span>
            {spoken[type] && <span class="unseen">{spoken[type]}</span>}
            <Marked text={text} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** A time, formatted when this is rendered. */
export function timeNow(at: string): string {
  return timeText(at, new Date());
}

/** The readable name of a type or field. */
export function words(name: string): string {
  return name.replace(/[_-]/g, " ");
}
