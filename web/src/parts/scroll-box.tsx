import type { ComponentChildren } from "preact";

/** Text that keeps its line breaks and scrolls, by keys too. */
export function ScrollBox(props: { kind: string; label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: not every browser lets keys scroll what cannot have the focus.
    <section class={props.kind} aria-label={props.label} tabIndex={0}>
      <pre>{props.children}</pre>
    </section>
  );
}
