import type { ComponentChildren } from "preact";

/** Text that keeps its line breaks and can be scrolled, also by keyboard. */
export function ScrollBox(props: { kind: string; label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: some browsers scroll by keyboard only in elements that can have the focus.
    <section class={props.kind} aria-label={props.label} tabIndex={0}>
      <pre>{props.children}</pre>
    </section>
  );
}
