import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/**
 * When `element` is removed while the focus is in it, the focus moves to the element that `heir`
 * finds.
 */
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
