import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** When `element` goes while the focus is in it, the focus goes to what `heir` finds instead of nowhere. */
export function useFocusPassedOn(
  element: RefObject<HTMLElement | null>,
  heir: () => HTMLElement | null,
): void {
  useLayoutEffect(() => {
    const shown = element.current;
    return () => {
      if (shown?.contains(document.activeElement)) heir()?.focus();
    };
  }, [element]);
}
