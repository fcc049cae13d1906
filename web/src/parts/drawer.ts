import type { PageContext } from "../state/page-context.ts";

/** Opens the questions that wait for the person, and moves the focus to the first. */
export function openDrawer(pageContext: PageContext): void {
  pageContext.isDrawerOpen.set(true);
  // The panel cannot take the focus before it is shown.
  requestAnimationFrame(() => {
    const first = document.querySelector<HTMLElement>(".waiting .question");
    (first ?? waitingHead())?.focus();
  });
}

/** Closes the panel, and moves the focus out of it. */
export function closeDrawer(pageContext: PageContext): void {
  if (document.querySelector(".waiting")?.contains(document.activeElement)) {
    document.querySelector<HTMLElement>(".drawer-button")?.focus();
  }
  pageContext.isDrawerOpen.set(false);
}

/** The element in the panel that has the focus when no question has it. */
export function waitingHead(): HTMLElement | null {
  return document.getElementById("waiting-head");
}
